// The text of an array whose element type has a number that this version does not know:
// type99[4,<=8]. Shapes keep it verbatim; this file makes it and takes it apart.
#ifndef HALO_PROTO_PARTS_UNKNOWN_ARRAY_H_
#define HALO_PROTO_PARTS_UNKNOWN_ARRAY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

struct UnknownArray {
  int64_t type_number = 0;
  std::vector<int64_t> dims;
  std::vector<int64_t> dynamic;  // 0 or 1 for each dimension
};

std::string UnknownArrayText(int64_t type_number, std::span<const int64_t> dims,
                             std::span<const uint8_t> dynamic);
// Nullopt if the text does not name its type by number.
std::optional<UnknownArray> ParseUnknownArray(std::string_view text);

}  // namespace halo

#endif  // HALO_PROTO_PARTS_UNKNOWN_ARRAY_H_
