// Converts elements between row-major order, which a Literal uses, and the order of a layout, which
// a LiteralProto uses.
#ifndef HALO_PROTO_WIRE_ELEMENT_ORDER_H_
#define HALO_PROTO_WIRE_ELEMENT_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halo {

bool IsRowMajor(std::span<const int64_t> minor_to_major);

// `bits` holds one element of `element_bytes` bytes for each index of `dims`, in the layout's
// order. Returns them in row-major order. The layout must be a permutation of the dimensions.
std::vector<uint8_t> ToRowMajor(std::span<const uint8_t> bits, size_t element_bytes,
                                std::span<const int64_t> dims,
                                std::span<const int64_t> minor_to_major);
std::vector<uint8_t> FromRowMajor(std::span<const uint8_t> bits, size_t element_bytes,
                                  std::span<const int64_t> dims,
                                  std::span<const int64_t> minor_to_major);

}  // namespace halo

#endif  // HALO_PROTO_WIRE_ELEMENT_ORDER_H_
