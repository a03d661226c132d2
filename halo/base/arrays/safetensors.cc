// Every number of the header is checked against the file before it is used.
#include "halo/base/arrays/safetensors.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/base/json/json_reader.h"

namespace halo {
namespace {

constexpr size_t kLengthBytes = 8;
constexpr uint64_t kMaxHeader = uint64_t{100} << 20;  // the format's own limit

struct NamedType {
  std::string_view text;
  NpyType type;
};

std::optional<NpyType> TypeOf(std::string_view text) {
  static const std::array<NamedType, 17> kTypes = {{{"BOOL", {'b', 1, {}}},
                                                    {"I8", {'i', 1, {}}},
                                                    {"I16", {'i', 2, {}}},
                                                    {"I32", {'i', 4, {}}},
                                                    {"I64", {'i', 8, {}}},
                                                    {"U8", {'u', 1, {}}},
                                                    {"U16", {'u', 2, {}}},
                                                    {"U32", {'u', 4, {}}},
                                                    {"U64", {'u', 8, {}}},
                                                    {"F16", {'f', 2, {}}},
                                                    {"F32", {'f', 4, {}}},
                                                    {"F64", {'f', 8, {}}},
                                                    {"BF16", {'V', 2, "bfloat16"}},
                                                    {"F8_E4M3", {'V', 1, "float8_e4m3fn"}},
                                                    {"F8_E5M2", {'V', 1, "float8_e5m2"}},
                                                    {"F8_E8M0", {'V', 1, "float8_e8m0fnu"}},
                                                    {"C64", {'c', 8, {}}}}};
  for (const NamedType& each : kTypes) {
    if (each.text == text) return each.type;
  }
  return std::nullopt;
}

Diagnostic BadSafetensors(size_t at, std::string message) {
  Diagnostic bad = MakeBinaryDiagnostic(diag::kBadNpz, at, std::move(message));
  bad.help = "save the arrays again with safetensors, or with numpy.savez";
  return bad;
}

uint64_t HeaderLength(std::string_view bytes) {
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return length;
}

// Type, dimensions and position of one array. `data` is the number of bytes after the header.
Result<NpyHeader> ReadEntry(const std::string& name, const JsonValue& entry, size_t begin,
                            size_t data) {
  NpyHeader header;
  const std::string_view dtype = entry["dtype"].AsString();
  const std::optional<NpyType> type = TypeOf(dtype);
  if (!type)
    return BadSafetensors(kLengthBytes, name + " has the unknown type " + std::string(dtype));
  header.type = *type;
  header.dims = entry["shape"].AsInts();
  const std::vector<int64_t> position = entry["data_offsets"].AsInts();
  if (entry["shape"].kind != JsonValue::Kind::kArray || position.size() != 2 || position[0] < 0 ||
      position[1] < position[0] || static_cast<uint64_t>(position[1]) > data) {
    return BadSafetensors(kLengthBytes, name + " has no dimensions, or is outside the file");
  }
  uint64_t bytes = header.type.bytes;
  for (const int64_t dim : header.dims) {
    if (dim < 0 || (dim > 0 && bytes > data / static_cast<uint64_t>(dim))) {
      return BadSafetensors(kLengthBytes, name + " has more elements than the file has bytes");
    }
    bytes *= static_cast<uint64_t>(dim);
  }
  if (bytes != static_cast<uint64_t>(position[1] - position[0])) {
    return BadSafetensors(kLengthBytes, name + " has " + std::to_string(position[1] - position[0]) +
                                            " bytes, its dimensions take " + std::to_string(bytes));
  }
  header.data_begin = begin + static_cast<size_t>(position[0]);
  header.data_bytes = bytes;
  return header;
}

}  // namespace

bool SafetensorsReader::IsLikely(std::string_view bytes) {
  return bytes.size() > kLengthBytes && bytes[kLengthBytes] == '{' &&
         HeaderLength(bytes) <= bytes.size() - kLengthBytes;
}

Result<SafetensorsReader> SafetensorsReader::Open(std::string_view bytes) {
  if (!IsLikely(bytes)) return BadSafetensors(0, "this is not a safetensors file");
  const uint64_t length = HeaderLength(bytes);
  if (length > kMaxHeader) return BadSafetensors(0, "its header is longer than 100 MiB");
  const std::optional<JsonValue> json = ParseJson(bytes.substr(kLengthBytes, length));
  if (!json || !json->is_object())
    return BadSafetensors(kLengthBytes, "its header is not a JSON object");
  SafetensorsReader reader;
  reader.bytes_ = bytes;
  const size_t begin = kLengthBytes + length;
  for (size_t i = 0; i < json->keys.size(); ++i) {
    if (json->keys[i] == "__metadata__") continue;
    Result<NpyHeader> header =
        ReadEntry(json->keys[i], json->items[i], begin, bytes.size() - begin);
    if (!header) return header.error();
    reader.members_.push_back({json->keys[i], std::move(*header)});
  }
  return reader;
}

Result<NpyArray> SafetensorsReader::Read(size_t i) const {
  const NpyHeader& header = members_[i].header;
  NpyArray array;
  array.type = header.type;
  array.dims = header.dims;
  array.bytes = {reinterpret_cast<const uint8_t*>(bytes_.data()) + header.data_begin,
                 header.data_bytes};
  return array;
}

}  // namespace halo
