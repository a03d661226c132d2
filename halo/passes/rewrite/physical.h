// Where elements lie: whether a reshape or transpose leaves them where they are, so that it is a
// bitcast, and which dimensions lie next to each other.
#ifndef HALO_PASSES_REWRITE_PHYSICAL_H_
#define HALO_PASSES_REWRITE_PHYSICAL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/ir/types/shape.h"

namespace halo {

// Distance of neighbours along each dimension, in elements.
std::vector<int64_t> StridesOf(const ShapeTable& shapes, ShapeId shape);

// The two hold the same elements in the same places when one is reshaped to the other.
bool ReshapeIsBitcast(const ShapeTable& shapes, ShapeId from, ShapeId to);
// The same for a transpose, whose dimension i of the result is dimension permutation[i] before.
bool TransposeIsBitcast(const ShapeTable& shapes, ShapeId from, ShapeId to,
                        std::span<const int64_t> permutation);

// Dimensions of more than one element, outermost first.
std::vector<int64_t> MajorToMinor(const ShapeTable& shapes, ShapeId shape);

// Same dimensions in the same order and the same layout once those of one element are left out.
bool SameUpToOnes(const ShapeTable& shapes, ShapeId a, ShapeId b);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_PHYSICAL_H_
