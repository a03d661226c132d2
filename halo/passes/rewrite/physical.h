// The physical order of elements: whether a reshape or transpose leaves them where they are, so
// that it is a bitcast, and which dimensions are adjacent in memory.
#ifndef HALO_PASSES_REWRITE_PHYSICAL_H_
#define HALO_PASSES_REWRITE_PHYSICAL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/ir/types/shape.h"

namespace halo {

// Distance between neighbours along each dimension, in elements.
std::vector<int64_t> StridesOf(const ShapeTable& shapes, ShapeId shape);

// Returns true if reshaping one to the other keeps the same elements at the same positions.
bool ReshapeIsBitcast(const ShapeTable& shapes, ShapeId from, ShapeId to);
// The same for a transpose: dimension i of the result is dimension permutation[i] of the operand.
bool TransposeIsBitcast(const ShapeTable& shapes, ShapeId from, ShapeId to,
                        std::span<const int64_t> permutation);

// The dimensions larger than 1, outermost first.
std::vector<int64_t> MajorToMinor(const ShapeTable& shapes, ShapeId shape);

// Same dimensions in the same order and the same layout, ignoring dimensions of size 1.
bool SameUpToOnes(const ShapeTable& shapes, ShapeId a, ShapeId b);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_PHYSICAL_H_
