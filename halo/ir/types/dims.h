// Lists of dimensions and indices into them, in row-major order. Shapes are defined in shape.h.
#ifndef HALO_IR_TYPES_DIMS_H_
#define HALO_IR_TYPES_DIMS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace halo {

using Dims = std::vector<int64_t>;

// Product of all dimensions, at most the largest int64: an array without elements may have
// dimensions whose product is beyond it.
int64_t ElementsIn(std::span<const int64_t> dims);
// Row-major strides, in elements, with the same limit.
Dims RowMajorStrides(std::span<const int64_t> dims);
// Moves to the next index in row-major order; false once it wraps around to all zeros.
bool NextIndex(std::span<const int64_t> dims, std::span<int64_t> index);

}  // namespace halo

#endif  // HALO_IR_TYPES_DIMS_H_
