// The metadata is at the end of the file. A hostile file may let many columns share a page, or
// repeat a value without end, so that pages and rows have budgets in proportion to the file.
#include "halo/profile/parquet/parquet.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "halo/profile/parquet/thrift_compact.h"
#include "halo/proto/records/snappy.h"
#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

constexpr std::string_view kParquetMark = "PAR1";
// Snappy compresses to a twentieth at best.
constexpr size_t kMostGrowth = 64;
// For each byte of the file; tables of traces have fewer than one.
constexpr size_t kMostValues = 4;

enum class Physical : int64_t { kInt32 = 1, kInt64 = 2, kFloat = 4, kDouble = 5, kText = 6 };
enum class Page : int64_t { kData = 0, kDictionary = 2 };
enum class Encoding : int64_t { kPlain = 0, kOldDictionary = 2, kDictionary = 8 };
constexpr int64_t kUncompressed = 0, kSnappy = 1;

struct Chunk {
  std::string_view name;
  int64_t type = 0, codec = 0, values = 0, size = 0, data = 0, dictionary = 0;
  bool is_optional = true;
};

struct PageHeader {
  int64_t kind = -1, size = 0, stored = 0, values = 0, encoding = 0;
  size_t bytes = 0;  // of the header itself
};

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size() && i < 8; ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

int64_t WholeNumber(double value) {
  return value > -9e18 && value < 9e18 ? static_cast<int64_t>(value) : 0;
}

// Runs of equal values and groups of packed ones; calls `take` for up to `count` values.
template <class Take>
bool ReadHybrid(std::string_view bytes, uint32_t width, size_t count, Take take) {
  while (count > 0) {
    uint64_t head = 0;
    if (!TakeVarint(bytes, head)) return false;
    if ((head & 1) == 0) {
      const size_t size = (width + 7) / 8;
      if (bytes.size() < size) return false;
      const uint64_t value = LittleEndian(bytes.substr(0, size));
      bytes.remove_prefix(size);
      const size_t run = static_cast<size_t>(std::min<uint64_t>(head >> 1, count));
      if (run == 0) return false;
      for (size_t i = 0; i < run; ++i) take(value);
      count -= run;
      continue;
    }
    const uint64_t groups = head >> 1;
    if (groups == 0 || groups > bytes.size() / std::max<uint32_t>(width, 1)) return false;
    const size_t packed = std::min<size_t>(count, static_cast<size_t>(groups) * 8);
    for (size_t i = 0; i < packed; ++i) {
      const size_t bit = i * width;
      const uint64_t word = LittleEndian(bytes.substr(bit / 8, 8)) >> (bit % 8);
      take(width == 0 ? 0 : word & ((uint64_t{1} << width) - 1));
    }
    bytes.remove_prefix(static_cast<size_t>(groups) * width);
    count -= packed;
  }
  return true;
}

class ParquetReader {
 public:
  ParquetReader(std::string_view bytes, std::span<const std::string_view> wanted)
      : bytes_(bytes), wanted_(wanted) {
    table_.columns.resize(wanted.size());
  }

  ParquetTable Read() {
    if (!ReadFooter()) return Bad("the metadata at the end of the table is damaged");
    for (const Chunk& chunk : chunks_) {
      const auto found = std::find(wanted_.begin(), wanted_.end(), chunk.name);
      if (found == wanted_.end()) continue;
      ParquetColumn& column = table_.columns[static_cast<size_t>(found - wanted_.begin())];
      if (!ReadChunk(chunk, column)) {
        return Bad(problem_.empty() ? "column " + std::string(chunk.name) + " is damaged"
                                    : problem_);
      }
    }
    for (const ParquetColumn& each : table_.columns) {
      table_.rows = std::max({table_.rows, each.texts.size(), each.numbers.size()});
    }
    return std::move(table_);
  }

 private:
  static ParquetTable Bad(std::string problem) {
    ParquetTable table;
    table.problem = std::move(problem);
    return table;
  }

  bool ReadFooter() {
    constexpr size_t kEnd = 8;
    if (bytes_.size() < kEnd + 4 || !bytes_.ends_with(kParquetMark)) return false;
    const uint64_t size = LittleEndian(bytes_.substr(bytes_.size() - kEnd, 4));
    if (size > bytes_.size() - kEnd) return false;
    ThriftReader reader(bytes_.substr(bytes_.size() - kEnd - static_cast<size_t>(size)));
    std::vector<std::pair<std::string_view, bool>> schema;  // name, may have holes
    reader.Struct([&](int64_t field) {
      if (field == 2) {
        reader.List([&] { schema.push_back(ReadSchemaElement(reader)); });
      } else if (field == 4) {
        reader.List([&] {
          reader.Struct([&](int64_t inner) {
            if (inner != 1) return reader.Skip();
            reader.List([&] { chunks_.push_back(ReadChunkMetadata(reader)); });
          });
        });
      } else {
        reader.Skip();
      }
    });
    std::sort(schema.begin(), schema.end());
    for (Chunk& chunk : chunks_) {
      const auto found =
          std::lower_bound(schema.begin(), schema.end(), std::pair(chunk.name, false));
      chunk.is_optional = found != schema.end() && found->first == chunk.name && found->second;
    }
    return reader.ok();
  }

  static std::pair<std::string_view, bool> ReadSchemaElement(ThriftReader& reader) {
    std::pair<std::string_view, bool> element;
    reader.Struct([&](int64_t field) {
      switch (field) {
        case 3: element.second = reader.Int() == 1; break;
        case 4: element.first = reader.Binary(); break;
        default: reader.Skip(); break;
      }
    });
    return element;
  }

  static Chunk ReadChunkMetadata(ThriftReader& reader) {
    Chunk chunk;
    const auto metadata = [&](int64_t field) {
      switch (field) {
        case 1: chunk.type = reader.Int(); break;
        case 3: reader.List([&] { chunk.name = reader.Binary(); }); break;
        case 4: chunk.codec = reader.Int(); break;
        case 5: chunk.values = reader.Int(); break;
        case 7: chunk.size = reader.Int(); break;
        case 9: chunk.data = reader.Int(); break;
        case 11: chunk.dictionary = reader.Int(); break;
        default: reader.Skip(); break;
      }
    };
    reader.Struct([&](int64_t field) {
      if (field != 3) return reader.Skip();
      reader.Struct(metadata);
    });
    return chunk;
  }

  static std::optional<PageHeader> ReadPageHeader(std::string_view bytes) {
    ThriftReader reader(bytes);
    PageHeader header;
    const auto details = [&](int64_t field) {
      switch (field) {
        case 1: header.values = reader.Int(); break;
        case 2: header.encoding = reader.Int(); break;
        default: reader.Skip(); break;
      }
    };
    reader.Struct([&](int64_t field) {
      switch (field) {
        case 1: header.kind = reader.Int(); break;
        case 2: header.size = reader.Int(); break;
        case 3: header.stored = reader.Int(); break;
        case 5:
        case 7: reader.Struct(details); break;
        default: reader.Skip(); break;
      }
    });
    header.bytes = reader.position();
    if (!reader.ok()) return std::nullopt;
    return header;
  }

  // The contents of a page; empty and a problem if they cannot be had.
  std::optional<std::string_view> PageOf(const Chunk& chunk, std::string_view stored,
                                         int64_t size) {
    if (chunk.codec == kUncompressed) return stored;
    if (chunk.codec != kSnappy) {
      problem_ =
          "the table is compressed in another way than Snappy; write it again, as pandas "
          "does by default";
      return std::nullopt;
    }
    if (size < 0 || static_cast<uint64_t>(size) / kMostGrowth > stored.size()) return std::nullopt;
    std::optional<std::string> page = Unsnap(stored, static_cast<size_t>(size));
    if (!page) return std::nullopt;
    return table_.pages.emplace_back(*std::move(page));
  }

  bool ReadChunk(const Chunk& chunk, ParquetColumn& out) {
    const int64_t first =
        chunk.dictionary > 0 ? std::min(chunk.dictionary, chunk.data) : chunk.data;
    if (first < 0 || chunk.size < 0 || static_cast<uint64_t>(first) > bytes_.size()) return false;
    std::string_view rest = bytes_.substr(static_cast<size_t>(first));
    rest = rest.substr(0, static_cast<size_t>(std::min<uint64_t>(chunk.size, rest.size())));
    ParquetColumn dictionary;
    int64_t left = chunk.values;
    while (left > 0) {
      const std::optional<PageHeader> header = ReadPageHeader(rest);
      if (!header || header->stored < 0) return false;
      rest.remove_prefix(header->bytes);
      if (static_cast<uint64_t>(header->stored) > rest.size()) return false;
      const size_t stored = static_cast<size_t>(header->stored);
      pages_read_ += stored + header->bytes;
      if (pages_read_ > bytes_.size()) return false;
      const auto page = PageOf(chunk, rest.substr(0, stored), header->size);
      rest.remove_prefix(stored);
      if (!page || header->values < 0) return false;
      if (header->kind == static_cast<int64_t>(Page::kDictionary)) {
        if (!ReadPlain(chunk, *page, static_cast<uint64_t>(header->values), dictionary))
          return false;
        continue;
      }
      if (header->kind != static_cast<int64_t>(Page::kData)) {
        problem_ = "the table has data pages of another version than 1";
        return false;
      }
      const size_t count = static_cast<size_t>(std::min(header->values, left));
      if (count == 0 || rows_read_ + count > kMostValues * bytes_.size()) return false;
      rows_read_ += count;
      left -= static_cast<int64_t>(count);
      if (!ReadData(chunk, *page, count, header->encoding, dictionary, out)) return false;
    }
    return true;
  }

  static bool ReadPlain(const Chunk& chunk, std::string_view page, uint64_t count,
                        ParquetColumn& out) {
    const auto type = static_cast<Physical>(chunk.type);
    const size_t width = type == Physical::kInt32 || type == Physical::kFloat ? 4 : 8;
    for (uint64_t i = 0; i < count; ++i) {
      if (type == Physical::kText) {
        if (page.size() < 4) return false;
        const uint64_t size = LittleEndian(page.substr(0, 4));
        if (size > page.size() - 4) return false;
        out.texts.push_back(page.substr(4, static_cast<size_t>(size)));
        page.remove_prefix(4 + static_cast<size_t>(size));
        continue;
      }
      if (page.size() < width) return false;
      const uint64_t bits = LittleEndian(page.substr(0, width));
      page.remove_prefix(width);
      switch (type) {
        case Physical::kInt32: out.numbers.push_back(static_cast<int32_t>(bits)); break;
        case Physical::kInt64: out.numbers.push_back(static_cast<int64_t>(bits)); break;
        case Physical::kFloat:
          out.numbers.push_back(WholeNumber(std::bit_cast<float>(static_cast<uint32_t>(bits))));
          break;
        case Physical::kDouble:
          out.numbers.push_back(WholeNumber(std::bit_cast<double>(bits)));
          break;
        default: return false;
      }
    }
    return true;
  }

  static bool ReadData(const Chunk& chunk, std::string_view page, size_t count, int64_t encoding,
                       const ParquetColumn& dictionary, ParquetColumn& out) {
    std::vector<bool> exists(count, true);
    size_t values = count;
    if (chunk.is_optional) {
      if (page.size() < 4) return false;
      const uint64_t size = LittleEndian(page.substr(0, 4));
      if (size > page.size() - 4) return false;
      size_t row = 0;
      values = 0;
      const bool is_whole =
          ReadHybrid(page.substr(4, static_cast<size_t>(size)), 1, count, [&](uint64_t level) {
            exists[row++] = level != 0;
            values += level != 0 ? 1 : 0;
          });
      if (!is_whole) return false;
      page.remove_prefix(4 + static_cast<size_t>(size));
    }
    ParquetColumn found;
    if (encoding == static_cast<int64_t>(Encoding::kPlain)) {
      if (!ReadPlain(chunk, page, values, found)) return false;
    } else if (encoding == static_cast<int64_t>(Encoding::kDictionary) ||
               encoding == static_cast<int64_t>(Encoding::kOldDictionary)) {
      if (values > 0 && page.empty()) return false;
      const auto width = page.empty() ? 0U : static_cast<unsigned char>(page.front());
      bool is_known = width <= 32;
      const bool is_whole =
          values == 0 ||
          (is_known && ReadHybrid(page.substr(1), width, values, [&](uint64_t index) {
             is_known &= index < std::max(dictionary.texts.size(), dictionary.numbers.size());
             if (!is_known) return;
             const auto at = static_cast<size_t>(index);
             if (at < dictionary.texts.size()) {
               found.texts.push_back(dictionary.texts[at]);
             } else {
               found.numbers.push_back(dictionary.numbers[at]);
             }
           }));
      if (!is_whole || !is_known) return false;
    } else {
      return false;
    }
    const bool is_text = chunk.type == static_cast<int64_t>(Physical::kText);
    size_t next = 0;
    for (const bool each : exists) {
      if (is_text) {
        out.texts.push_back(each ? found.texts[next] : std::string_view());
      } else {
        out.numbers.push_back(each ? found.numbers[next] : 0);
      }
      next += each ? 1 : 0;
    }
    return true;
  }

  std::string_view bytes_;
  std::span<const std::string_view> wanted_;
  std::vector<Chunk> chunks_;
  ParquetTable table_;
  std::string problem_;
  size_t pages_read_ = 0, rows_read_ = 0;
};

}  // namespace

bool LooksLikeParquet(std::string_view bytes) { return bytes.starts_with(kParquetMark); }

ParquetTable ReadParquet(std::string_view bytes, std::span<const std::string_view> wanted) {
  return ParquetReader(bytes, wanted).Read();
}

}  // namespace halo
