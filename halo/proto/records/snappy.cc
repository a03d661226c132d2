// A block is its length, then literals and copies of what was written before.
#include "halo/proto/records/snappy.h"

#include <cstdint>

#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

// Takes `count` little-endian bytes from the front.
bool TakeBytes(std::string_view& bytes, size_t count, size_t& value) {
  if (bytes.size() < count) return false;
  value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= static_cast<size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  bytes.remove_prefix(count);
  return true;
}

}  // namespace

std::optional<std::string> Unsnap(std::string_view bytes, size_t most) {
  constexpr size_t kLongLiteral = 60;
  uint64_t size = 0;
  if (!TakeVarint(bytes, size) || size > most) return std::nullopt;
  std::string out;
  out.reserve(static_cast<size_t>(size));
  while (!bytes.empty()) {
    const auto tag = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    size_t length = (tag >> 2) + size_t{1}, offset = 0, extra = 0;
    switch (tag & 3) {
      case 0:
        if (length > kLongLiteral) {
          if (!TakeBytes(bytes, length - kLongLiteral, extra)) return std::nullopt;
          length = extra + 1;
        }
        if (length > bytes.size() || length > size - out.size()) return std::nullopt;
        out.append(bytes.substr(0, length));
        bytes.remove_prefix(length);
        continue;
      case 1:
        length = ((tag >> 2) & 7) + size_t{4};
        if (!TakeBytes(bytes, 1, extra)) return std::nullopt;
        offset = (static_cast<size_t>(tag >> 5) << 8) | extra;
        break;
      case 2:
        if (!TakeBytes(bytes, 2, offset)) return std::nullopt;
        break;
      default:
        if (!TakeBytes(bytes, 4, offset)) return std::nullopt;
        break;
    }
    if (offset == 0 || offset > out.size() || length > size - out.size()) return std::nullopt;
    // Byte by byte: a copy may overlap what it writes.
    for (size_t i = 0; i < length; ++i) out.push_back(out[out.size() - offset]);
  }
  return out.size() == size ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace halo
