// A column of a row group is one chunk: a dictionary page if values repeat, and one data page. A
// dictionary is built for each chunk, so that readers need nothing else to decode it.
#include "halo/profile/parquet/parquet_writer.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

#include "halo/base/check.h"
#include "halo/base/io/zstd.h"
#include "halo/profile/parquet/thrift_compact.h"

namespace halo {
namespace {

constexpr std::string_view kMark = "PAR1";
constexpr std::string_view kCreator = "haloscope";
// Numbers as the format defines them.
constexpr int kBooleanType = 0, kInt64Type = 2, kDoubleType = 5, kByteArrayType = 6;
constexpr int kRequired = 0, kOptionalField = 1;
constexpr int kUtf8 = 0;
constexpr int kPlainEncoding = 0, kRleEncoding = 3, kDictionaryEncoding = 8;
constexpr int kNotCompressed = 0, kZstdCodec = 6;
constexpr int kDataPage = 0, kDictionaryPage = 2;
// A dictionary of numbers pays off only if it is small.
constexpr size_t kMostNumbers = 4096;

struct WrittenChunk {
  int64_t offset = 0, data_offset = 0, dictionary_offset = -1;
  int64_t stored = 0, plain = 0;  // bytes of its pages with their headers
  int64_t rows = 0, holes = 0;
  std::optional<std::pair<uint64_t, uint64_t>> range;  // bits of the least and the largest value
};

struct WrittenGroup {
  int64_t rows = 0;
  std::vector<WrittenChunk> chunks;
};

void AppendFixed(uint64_t value, size_t bytes, std::string& out) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

void AppendUnsigned(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

// Groups of eight values, `width` bits each; the last group is filled with zeros.
void AppendPacked(std::span<const uint32_t> values, uint32_t width, std::string& out) {
  const size_t groups = (values.size() + 7) / 8;
  AppendUnsigned(groups << 1 | 1, out);
  uint64_t pending = 0;
  uint32_t filled = 0;
  for (size_t i = 0; i < groups * 8; ++i) {
    pending |= static_cast<uint64_t>(i < values.size() ? values[i] : 0) << filled;
    filled += width;
    for (; filled >= 8; filled -= 8, pending >>= 8) out += static_cast<char>(pending);
  }
}

// Runs of equal values, and packed groups of others.
void AppendHybrid(std::span<const uint32_t> values, uint32_t width, std::string& out) {
  constexpr size_t kRun = 8, kRunBetween = 16;
  const auto repeats = [&](size_t at, size_t times) {
    if (at + times > values.size()) return false;
    return std::all_of(values.begin() + static_cast<ptrdiff_t>(at),
                       values.begin() + static_cast<ptrdiff_t>(at + times),
                       [&](uint32_t each) { return each == values[at]; });
  };
  for (size_t at = 0; at < values.size();) {
    if (repeats(at, kRun)) {
      size_t end = at + kRun;
      while (end < values.size() && values[end] == values[at]) ++end;
      AppendUnsigned((end - at) << 1, out);
      AppendFixed(values[at], (width + 7) / 8, out);
      at = end;
      continue;
    }
    size_t end = at + 8;
    while (end < values.size() && !repeats(end, kRunBetween)) end += 8;
    end = std::min(end, values.size());
    AppendPacked(values.subspan(at, end - at), width, out);
    at = end;
  }
}

int PhysicalType(ColumnType type) {
  switch (type) {
    case ColumnType::kInt:
    case ColumnType::kTime: return kInt64Type;
    case ColumnType::kReal: return kDoubleType;
    case ColumnType::kBool: return kBooleanType;
    case ColumnType::kText: return kByteArrayType;
  }
  return kInt64Type;
}

// Values of a chunk as numbers into a dictionary.
struct ChunkDictionary {
  std::vector<uint64_t> values;  // in order of first appearance
  std::vector<uint32_t> indices;
};

class ParquetFileWriter {
 public:
  ParquetFileWriter(std::span<const ColumnSpec> columns, const ParquetOptions& options)
      : columns_(columns), options_(options), out_(kMark) {
    compresses_ = options.compress && CompressZstd("").has_value();
  }

  void AddGroup(std::span<const ColumnBuffer> buffers, size_t begin, size_t end) {
    WrittenGroup group;
    group.rows = static_cast<int64_t>(end - begin);
    for (size_t i = 0; i < columns_.size(); ++i) {
      group.chunks.push_back(AddChunk(columns_[i], buffers[i], begin, end));
    }
    groups_.push_back(std::move(group));
  }

  std::string Finish() {
    const std::string footer = Footer();
    out_ += footer;
    AppendFixed(footer.size(), 4, out_);
    out_ += kMark;
    return std::move(out_);
  }

 private:
  WrittenChunk AddChunk(const ColumnSpec& column, const ColumnBuffer& buffer, size_t begin,
                        size_t end) {
    HALO_CHECK(column.is_optional || !buffer.has_holes());
    HALO_CHECK(column.type == buffer.type());
    std::vector<uint64_t> values;
    std::vector<uint32_t> levels;
    for (size_t row = begin; row < end; ++row) {
      const bool exists = buffer.exists(row);
      if (column.is_optional) levels.push_back(exists ? 1 : 0);
      if (exists) values.push_back(buffer.bits(row));
    }
    WrittenChunk chunk;
    chunk.offset = static_cast<int64_t>(out_.size());
    chunk.rows = static_cast<int64_t>(end - begin);
    chunk.holes = chunk.rows - static_cast<int64_t>(values.size());
    chunk.range = RangeOf(column.type, values);
    std::string page;
    if (column.is_optional) {
      std::string runs;
      AppendHybrid(levels, 1, runs);
      AppendFixed(runs.size(), 4, page);
      page += runs;
    }
    const std::optional<ChunkDictionary> dictionary = DictionaryOf(column.type, buffer, values);
    if (dictionary) {
      std::string plain;
      AppendPlain(column.type, buffer, dictionary->values, plain);
      chunk.dictionary_offset = static_cast<int64_t>(out_.size());
      AddPage(kDictionaryPage, dictionary->values.size(), kPlainEncoding, plain, chunk);
      const size_t distinct = dictionary->values.size();
      const uint32_t width =
          std::max(1, static_cast<int>(std::bit_width(distinct == 0 ? 0 : distinct - 1)));
      page += static_cast<char>(width);
      AppendHybrid(dictionary->indices, width, page);
    } else {
      AppendPlain(column.type, buffer, values, page);
    }
    chunk.data_offset = static_cast<int64_t>(out_.size());
    AddPage(kDataPage, end - begin, dictionary ? kDictionaryEncoding : kPlainEncoding, page, chunk);
    return chunk;
  }

  // The least and the largest integer, by which readers skip row groups.
  static std::optional<std::pair<uint64_t, uint64_t>> RangeOf(ColumnType type,
                                                              const std::vector<uint64_t>& values) {
    if ((type != ColumnType::kInt && type != ColumnType::kTime) || values.empty()) return {};
    const auto [least, largest] = std::minmax_element(
        values.begin(), values.end(),
        [](uint64_t a, uint64_t b) { return static_cast<int64_t>(a) < static_cast<int64_t>(b); });
    return std::pair(*least, *largest);
  }

  static std::optional<ChunkDictionary> DictionaryOf(ColumnType type, const ColumnBuffer& buffer,
                                                     const std::vector<uint64_t>& values) {
    if (type == ColumnType::kBool || values.empty()) return std::nullopt;
    ChunkDictionary dictionary;
    dictionary.indices.reserve(values.size());
    if (type == ColumnType::kText) {
      constexpr uint32_t kNew = UINT32_MAX;
      std::vector<uint32_t> numbers(buffer.text_count(), kNew);
      for (const uint64_t id : values) {
        uint32_t& number = numbers[static_cast<size_t>(id)];
        if (number == kNew) {
          number = static_cast<uint32_t>(dictionary.values.size());
          dictionary.values.push_back(id);
        }
        dictionary.indices.push_back(number);
      }
      if (dictionary.values.size() > values.size() / 2 + 1) return std::nullopt;
      return dictionary;
    }
    std::unordered_map<uint64_t, uint32_t> numbers;
    const size_t most = std::min(values.size() / 4 + 1, kMostNumbers);
    for (const uint64_t bits : values) {
      const auto [found, is_new] =
          numbers.try_emplace(bits, static_cast<uint32_t>(dictionary.values.size()));
      if (is_new) dictionary.values.push_back(bits);
      if (dictionary.values.size() > most) return std::nullopt;
      dictionary.indices.push_back(found->second);
    }
    return dictionary;
  }

  static void AppendPlain(ColumnType type, const ColumnBuffer& buffer,
                          const std::vector<uint64_t>& values, std::string& out) {
    if (type == ColumnType::kText) {
      for (const uint64_t id : values) {
        const std::string_view text = buffer.text(id);
        AppendFixed(text.size(), 4, out);
        out += text;
      }
    } else if (type == ColumnType::kBool) {
      for (size_t i = 0; i < values.size(); i += 8) {
        unsigned byte = 0;
        for (size_t bit = 0; bit < 8 && i + bit < values.size(); ++bit) {
          byte |= static_cast<unsigned>(values[i + bit]) << bit;
        }
        out += static_cast<char>(byte);
      }
    } else {
      for (const uint64_t bits : values) AppendFixed(bits, 8, out);
    }
  }

  void AddPage(int kind, size_t values, int encoding, const std::string& page,
               WrittenChunk& chunk) {
    std::optional<std::string> compressed;
    if (compresses_) compressed = CompressZstd(page);
    // The codec holds for the whole file; compression of memory to memory fails in no other way.
    HALO_CHECK(compressed.has_value() == compresses_);
    const std::string& stored = compressed ? *compressed : page;
    ThriftWriter header;
    header.I32(1, kind);
    header.I32(2, static_cast<int64_t>(page.size()));
    header.I32(3, static_cast<int64_t>(stored.size()));
    header.BeginStruct(kind == kDataPage ? 5 : 7);
    header.I32(1, static_cast<int64_t>(values));
    header.I32(2, encoding);
    if (kind == kDataPage) {
      header.I32(3, kRleEncoding);
      header.I32(4, kRleEncoding);
    }
    header.EndStruct();
    const std::string bytes = header.Take();
    out_ += bytes;
    out_ += stored;
    chunk.stored += static_cast<int64_t>(bytes.size() + stored.size());
    chunk.plain += static_cast<int64_t>(bytes.size() + page.size());
  }

  void SchemaElement(const ColumnSpec& column, ThriftWriter& to) const {
    to.BeginStruct(0);
    to.I32(1, PhysicalType(column.type));
    to.I32(3, column.is_optional ? kOptionalField : kRequired);
    to.Binary(4, column.name);
    if (column.type == ColumnType::kText) {
      to.I32(6, kUtf8);
      to.BeginStruct(10);  // LogicalType
      to.BeginStruct(1);   // STRING
      to.EndStruct();
      to.EndStruct();
    } else if (column.type == ColumnType::kTime) {
      // Not marked as UTC, because some readers then need a library of time zones to show it.
      to.BeginStruct(10);
      to.BeginStruct(8);  // TIMESTAMP
      to.Bool(1, false);  // adjusted to UTC
      to.BeginStruct(2);  // unit
      to.BeginStruct(2);  // MICROS
      to.EndStruct();
      to.EndStruct();
      to.EndStruct();
      to.EndStruct();
    }
    to.EndStruct();
  }

  void ChunkMetadata(const ColumnSpec& column, const WrittenChunk& chunk, ThriftWriter& to) const {
    to.BeginStruct(0);
    to.I64(2, chunk.offset);
    to.BeginStruct(3);
    to.I32(1, PhysicalType(column.type));
    to.BeginList(2, ThriftType::kI32, 3);
    for (const int encoding : {kPlainEncoding, kRleEncoding, kDictionaryEncoding}) {
      to.I32(0, encoding);
    }
    to.BeginList(3, ThriftType::kBinary, 1);
    to.Binary(0, column.name);
    to.I32(4, compresses_ ? kZstdCodec : kNotCompressed);
    to.I64(5, chunk.rows);
    to.I64(6, chunk.plain);
    to.I64(7, chunk.stored);
    to.I64(9, chunk.data_offset);
    if (chunk.dictionary_offset >= 0) to.I64(11, chunk.dictionary_offset);
    to.BeginStruct(12);
    to.I64(3, chunk.holes);
    if (chunk.range) {
      for (const auto& [field, bits] :
           {std::pair(5, chunk.range->second), std::pair(6, chunk.range->first)}) {
        std::string bytes;
        AppendFixed(bits, 8, bytes);
        to.Binary(field, bytes);
      }
    }
    to.EndStruct();
    to.EndStruct();
    to.EndStruct();
  }

  [[nodiscard]] std::string Footer() const {
    int64_t rows = 0;
    for (const WrittenGroup& group : groups_) rows += group.rows;
    ThriftWriter to;
    to.I32(1, 1);
    to.BeginList(2, ThriftType::kStruct, columns_.size() + 1);
    to.BeginStruct(0);
    to.Binary(4, "schema");
    to.I32(5, static_cast<int64_t>(columns_.size()));
    to.EndStruct();
    for (const ColumnSpec& column : columns_) SchemaElement(column, to);
    to.I64(3, rows);
    to.BeginList(4, ThriftType::kStruct, groups_.size());
    for (const WrittenGroup& group : groups_) {
      to.BeginStruct(0);
      to.BeginList(1, ThriftType::kStruct, columns_.size());
      int64_t plain = 0;
      for (size_t i = 0; i < columns_.size(); ++i) {
        plain += group.chunks[i].plain;
        ChunkMetadata(columns_[i], group.chunks[i], to);
      }
      to.I64(2, plain);
      to.I64(3, group.rows);
      to.EndStruct();
    }
    to.BeginList(5, ThriftType::kStruct, options_.metadata.size());
    for (const auto& [key, value] : options_.metadata) {
      to.BeginStruct(0);
      to.Binary(1, key);
      to.Binary(2, value);
      to.EndStruct();
    }
    to.Binary(6, kCreator);
    to.BeginList(7, ThriftType::kStruct, columns_.size());  // the order that ranges refer to
    for (size_t i = 0; i < columns_.size(); ++i) {
      to.BeginStruct(0);
      to.BeginStruct(1);
      to.EndStruct();
      to.EndStruct();
    }
    return to.Take();
  }

  std::span<const ColumnSpec> columns_;
  const ParquetOptions& options_;
  bool compresses_ = false;
  std::vector<WrittenGroup> groups_;
  std::string out_;
};

}  // namespace

std::string WriteParquet(std::span<const ColumnSpec> columns, std::span<const ColumnBuffer> buffers,
                         const ParquetOptions& options) {
  HALO_CHECK(columns.size() == buffers.size());
  const size_t rows = buffers.empty() ? 0 : buffers.front().rows();
  for (const ColumnBuffer& each : buffers) HALO_CHECK(each.rows() == rows);
  ParquetFileWriter writer(columns, options);
  const size_t step = std::max<size_t>(options.group_rows, 1);
  for (size_t begin = 0; begin < rows; begin += step) {
    writer.AddGroup(buffers, begin, std::min(begin + step, rows));
  }
  return writer.Finish();
}

}  // namespace halo
