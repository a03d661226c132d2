// The header is a Python dictionary with three entries. The parser accepts only the literals that
// may occur there.
#include "halo/base/arrays/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "halo/base/diagnostics/base_diagnostics.h"

namespace halo {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

Diagnostic BadNpy(std::string message) {
  return MakeBinaryDiagnostic(diag::kBadNpy, 0, std::move(message));
}

// Types that numpy lacks but files may name.
constexpr std::array<std::pair<std::string_view, size_t>, 18> kNamedTypes = {{
    {"bfloat16", 2},
    {"float8_e3m4", 1},
    {"float8_e4m3", 1},
    {"float8_e4m3fn", 1},
    {"float8_e4m3b11fnuz", 1},
    {"float8_e4m3fnuz", 1},
    {"float8_e5m2", 1},
    {"float8_e5m2fnuz", 1},
    {"float8_e8m0fnu", 1},
    {"float6_e2m3fn", 1},
    {"float6_e3m2fn", 1},
    {"float4_e2m1fn", 1},
    {"int1", 1},
    {"uint1", 1},
    {"int2", 1},
    {"uint2", 1},
    {"int4", 1},
    {"uint4", 1},
}};

size_t NamedBytes(std::string_view name) {
  for (const auto& [known, bytes] : kNamedTypes) {
    if (known == name) return bytes;
  }
  return 0;
}

bool IsWidth(char kind, size_t bytes) {
  const bool is_power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  switch (kind) {
    case 'b': return bytes == 1;
    case 'i':
    case 'u': return is_power;
    case 'f': return is_power && bytes != 1;
    case 'c': return bytes == 8 || bytes == 16;
    case 'V': return is_power || bytes == 16;
    default: return false;
  }
}

// Parses codes such as "<f4"; nullopt for any other spelling.
std::optional<NpyType> TypeFromCode(std::string_view code) {
  if (code.empty()) return std::nullopt;
  const char order = code.front();
  const bool has_order = order == '<' || order == '|' || order == '=' || order == '>';
  if (has_order) code.remove_prefix(1);
  if (code == "?") code = "b1";
  if (code.size() < 2) return std::nullopt;
  NpyType type;
  type.kind = code.front();
  const char* end = code.data() + code.size();
  const auto [stop, error] = std::from_chars(code.data() + 1, end, type.bytes);
  if (error != std::errc() || stop != end || !IsWidth(type.kind, type.bytes)) return std::nullopt;
  if (order == '>' && type.bytes > 1) return std::nullopt;
  return type;
}

std::optional<NpyType> TypeFromText(std::string_view text) {
  if (std::optional<NpyType> type = TypeFromCode(text)) return type;
  const size_t bytes = NamedBytes(text);
  if (bytes == 0) return std::nullopt;
  return NpyType{'V', bytes, std::string(text)};
}

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::optional<Diagnostic> Parse(NpyHeader& header) {
    if (!Take('{')) return Wrong();
    while (!Take('}')) {
      const std::optional<std::string_view> key = Quoted();
      if (!key || !Take(':')) return Wrong();
      if (std::optional<Diagnostic> bad = Entry(*key, header)) return bad;
      if (!Take(',') && Peek() != '}') return Wrong();
    }
    if (seen_ != 7) return BadNpy("the header lacks one of descr, fortran_order and shape");
    return std::nullopt;
  }

 private:
  std::optional<Diagnostic> Entry(std::string_view key, NpyHeader& header) {
    if (key == "descr") {
      seen_ |= 1;
      return Type(header.type);
    }
    if (key == "fortran_order") {
      seen_ |= 2;
      const bool yes = TakeWord("True");
      if (!yes && !TakeWord("False")) return Wrong();
      header.is_column_major = yes;
      return std::nullopt;
    }
    if (key == "shape") {
      seen_ |= 4;
      return Shape(header.dims);
    }
    return BadNpy("the header has an entry '" + std::string(key.substr(0, 40)) + "'");
  }

  std::optional<Diagnostic> Type(NpyType& type) {
    std::string_view field;
    const bool is_structured = Take('[');
    if (is_structured) {
      const std::optional<std::string_view> name = Take('(') ? Quoted() : std::nullopt;
      if (!name || !Take(',')) return Wrong();
      field = *name;
    }
    const std::optional<std::string_view> code = Quoted();
    if (!code) return BadNpy("the element type is not a scalar type");
    if (is_structured) {
      Take(',');
      if (!Take(')')) return BadNpy("the element type is not a scalar type");
      Take(',');
      if (!Take(']')) return BadNpy("structured element types are not supported");
    }
    const std::optional<NpyType> read = TypeFromText(*code);
    if (!read) {
      return BadNpy(
          "element type '" + std::string(code->substr(0, 40)) +
          "' is not supported; little-endian bool, int, uint, float, complex and void are");
    }
    type = *read;
    if (NamedBytes(field) == type.bytes) type.name = field;
    return std::nullopt;
  }

  std::optional<Diagnostic> Shape(std::vector<int64_t>& dims) {
    if (!Take('(')) return Wrong();
    while (!Take(')')) {
      Blank();
      int64_t dim = -1;
      const char* begin = text_.data() + at_;
      const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), dim);
      if (error != std::errc() || dim < 0) return BadNpy("the shape in the header is malformed");
      at_ += static_cast<size_t>(stop - begin);
      TakeWord("L");
      dims.push_back(dim);
      if (dims.size() > 256) return BadNpy("the array has more than 256 dimensions");
      if (!Take(',') && Peek() != ')') return Wrong();
    }
    return std::nullopt;
  }

  [[nodiscard]] static Diagnostic Wrong() { return BadNpy("the header is malformed"); }

  void Blank() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  char Peek() {
    Blank();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool TakeWord(std::string_view word) {
    Blank();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::optional<std::string_view> Quoted() {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  std::string_view text_;
  size_t at_ = 0;
  unsigned seen_ = 0;
};

size_t LittleEndian(std::string_view bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// Copies column-major elements into row-major order.
void ToRows(const NpyHeader& header, const char* from, uint8_t* to) {
  const size_t width = header.type.bytes;
  const size_t rank = header.dims.size();
  std::vector<size_t> strides(rank);
  size_t stride = width;
  for (size_t d = 0; d < rank; ++d) {
    strides[d] = stride;
    stride *= static_cast<size_t>(header.dims[d]);
  }
  std::vector<int64_t> index(rank, 0);
  size_t at = 0;
  for (size_t done = 0; done < header.data_bytes; done += width) {
    std::memcpy(to + done, from + at, width);
    for (size_t d = rank; d-- > 0;) {
      at += strides[d];
      if (++index[d] < header.dims[d]) break;
      at -= strides[d] * static_cast<size_t>(header.dims[d]);
      index[d] = 0;
    }
  }
}

}  // namespace

std::string TextOf(const NpyType& type) {
  if (!type.name.empty()) return type.name;
  const std::string bits = std::to_string(type.bytes * 8);
  switch (type.kind) {
    case 'b': return "bool";
    case 'i': return "int" + bits;
    case 'u': return "uint" + bits;
    case 'f': return "float" + bits;
    case 'c': return "complex" + bits;
    default: return "void" + bits;
  }
}

Result<NpyHeader> ReadNpyHeader(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 10) return BadNpy("it is not an .npy array");
  const int version = bytes[6];
  if (version < 1 || version > 3) {
    return BadNpy("it is of version " + std::to_string(version) +
                  "; versions 1 to 3 are supported");
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t begin = 8 + length_bytes;
  if (bytes.size() < begin) return BadNpy("the header is truncated");
  const size_t length = LittleEndian(bytes.substr(8, length_bytes));
  if (length > kMaxNpyHeader - begin || length > bytes.size() - begin) {
    return BadNpy("the header is truncated, or longer than any numpy writes");
  }
  NpyHeader header;
  if (std::optional<Diagnostic> bad = HeaderParser(bytes.substr(begin, length)).Parse(header)) {
    return *bad;
  }
  header.data_begin = begin + length;
  header.data_bytes = header.type.bytes;
  if (std::ranges::find(header.dims, 0) != header.dims.end()) {
    header.data_bytes = 0;
    return header;
  }
  for (const int64_t dim : header.dims) {
    if (__builtin_mul_overflow(header.data_bytes, static_cast<size_t>(dim), &header.data_bytes)) {
      return BadNpy("its size does not fit in 64 bits");
    }
  }
  return header;
}

Result<std::span<const uint8_t>> NpyElements(const NpyHeader& header, std::string_view bytes,
                                             std::vector<uint8_t>& storage) {
  if (bytes.size() < header.data_begin || bytes.size() - header.data_begin < header.data_bytes) {
    return BadNpy("the elements are truncated: " + std::to_string(header.data_bytes) +
                  " bytes should follow the header");
  }
  const char* data = bytes.data() + header.data_begin;
  if (!header.is_column_major || header.dims.size() < 2) {
    return std::span(reinterpret_cast<const uint8_t*>(data), header.data_bytes);
  }
  storage.resize(header.data_bytes);
  ToRows(header, data, storage.data());
  return std::span<const uint8_t>(storage);
}

std::string WriteNpyHeader(const NpyType& type, std::span<const int64_t> dims) {
  std::string text = "{'descr': '";
  text += type.bytes == 1 || type.kind == 'V' ? '|' : '<';
  text += type.kind + std::to_string(type.bytes) + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(dims[i]) + ',';
    if (i > 0 && i + 1 == dims.size()) text.pop_back();
  }
  text += "), }";
  // Elements start at a multiple of 64, after a newline.
  constexpr size_t kBefore = 10;
  text.append((64 - (kBefore + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string out(kMagic);
  out += '\1';
  out += '\0';
  out += static_cast<char>(text.size() & 0xFF);
  out += static_cast<char>(text.size() >> 8 & 0xFF);
  return out + text;
}

}  // namespace halo
