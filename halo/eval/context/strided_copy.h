// Moves elements without interpreting them: copies an N-dimensional box between two locations, each
// with its own strides. Broadcasts, transposes, slices, pads and reverses are each one such copy.
#ifndef HALO_EVAL_CONTEXT_STRIDED_COPY_H_
#define HALO_EVAL_CONTEXT_STRIDED_COPY_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "halo/eval/context/op_context.h"

namespace halo {

// Strides are in elements and may be zero or negative; `from` and `to` point at index zero.
void StridedCopy(size_t element_bytes, std::span<const int64_t> dims, const uint8_t* from,
                 std::span<const int64_t> from_strides, uint8_t* to,
                 std::span<const int64_t> to_strides);

// Dimension i of the result is dimension permutation[i] of the array.
Array Transposed(const OpContext& cx, const Array& array, std::span<const int64_t> permutation);

// Reorder elements to the order in which a layout stores them, and back: dimensions from major to
// minor.
Array ToPhysical(const OpContext& cx, const Array& array, std::span<const int64_t> minor_to_major);
Array FromPhysical(const OpContext& cx, const Array& physical, std::span<const int64_t> dims,
                   std::span<const int64_t> minor_to_major);

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_STRIDED_COPY_H_
