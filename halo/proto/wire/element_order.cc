// Iterates over the elements in row-major order and tracks their position in the layout's order.
#include "halo/proto/wire/element_order.h"

#include <cstring>

namespace halo {
namespace {

template <class Move>
void ForEachElement(std::span<const int64_t> dims, std::span<const int64_t> minor_to_major,
                    size_t count, const Move& move) {
  std::vector<size_t> strides(dims.size(), 0);
  size_t stride = 1;
  for (const int64_t dim : minor_to_major) {
    strides[static_cast<size_t>(dim)] = stride;
    stride *= static_cast<size_t>(dims[static_cast<size_t>(dim)]);
  }
  std::vector<int64_t> index(dims.size(), 0);
  size_t placed = 0;
  for (size_t i = 0; i < count; ++i) {
    move(i, placed);
    for (size_t dim = dims.size(); dim-- > 0;) {
      placed += strides[dim];
      if (++index[dim] < dims[dim]) break;
      placed -= strides[dim] * static_cast<size_t>(dims[dim]);
      index[dim] = 0;
    }
  }
}

}  // namespace

bool IsRowMajor(std::span<const int64_t> minor_to_major) {
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return true;
}

std::vector<uint8_t> ToRowMajor(std::span<const uint8_t> bits, size_t element_bytes,
                                std::span<const int64_t> dims,
                                std::span<const int64_t> minor_to_major) {
  std::vector<uint8_t> out(bits.size());
  ForEachElement(dims, minor_to_major, bits.size() / element_bytes, [&](size_t row, size_t placed) {
    std::memcpy(out.data() + row * element_bytes, bits.data() + placed * element_bytes,
                element_bytes);
  });
  return out;
}

std::vector<uint8_t> FromRowMajor(std::span<const uint8_t> bits, size_t element_bytes,
                                  std::span<const int64_t> dims,
                                  std::span<const int64_t> minor_to_major) {
  std::vector<uint8_t> out(bits.size());
  ForEachElement(dims, minor_to_major, bits.size() / element_bytes, [&](size_t row, size_t placed) {
    std::memcpy(out.data() + placed * element_bytes, bits.data() + row * element_bytes,
                element_bytes);
  });
  return out;
}

}  // namespace halo
