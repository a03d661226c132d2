// Paths into shapes: {1,0} is the first element of the second element of a tuple.
#ifndef HALO_SEMANTICS_FACTS_SHAPE_INDEX_H_
#define HALO_SEMANTICS_FACTS_SHAPE_INDEX_H_

#include <cstdint>
#include <optional>
#include <span>

#include "halo/ir/types/shape.h"

namespace halo {

// Nothing if the shape has no such element.
std::optional<ShapeId> Subshape(const ShapeTable& shapes, ShapeId shape,
                                std::span<const int64_t> index);

// Equal in everything that is printed, layouts included; a missing layout is the row-major one.
bool SameWithLayout(const ShapeTable& shapes, ShapeId a, ShapeId b);

}  // namespace halo

#endif  // HALO_SEMANTICS_FACTS_SHAPE_INDEX_H_
