// Lists of dimensions and indices into them, in row-major order. Shapes are defined in shape.h.
#ifndef HALO_IR_TYPES_DIMS_H_
#define HALO_IR_TYPES_DIMS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace halo {

using Dims = std::vector<int64_t>;

// Product of all dimensions. The caller has checked that it does not overflow.
int64_t ElementsIn(std::span<const int64_t> dims);
// Row-major strides, in elements.
Dims RowMajorStrides(std::span<const int64_t> dims);
// Moves to the next index in row-major order; false once it wraps around to all zeros.
bool NextIndex(std::span<const int64_t> dims, std::span<int64_t> index);

}  // namespace halo

#endif  // HALO_IR_TYPES_DIMS_H_
