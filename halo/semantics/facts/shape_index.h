// Paths into shapes: {1,0} is the first element of the second element of a tuple.
#ifndef HALO_SEMANTICS_FACTS_SHAPE_INDEX_H_
#define HALO_SEMANTICS_FACTS_SHAPE_INDEX_H_

#include <cstdint>
#include <optional>
#include <span>

#include "halo/ir/types/shape.h"

namespace halo {

// Returns nothing if the shape has no such element.
std::optional<ShapeId> Subshape(const ShapeTable& shapes, ShapeId shape,
                                std::span<const int64_t> index);

// Returns true if everything that is printed is equal, including layouts. A missing layout counts
// as row-major.
bool SameWithLayout(const ShapeTable& shapes, ShapeId a, ShapeId b);

}  // namespace halo

#endif  // HALO_SEMANTICS_FACTS_SHAPE_INDEX_H_
