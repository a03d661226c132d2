// The type in which sums of products are accumulated until they are rounded once.
#ifndef HALO_EVAL_LANES_SUM_TYPE_H_
#define HALO_EVAL_LANES_SUM_TYPE_H_

#include <initializer_list>

#include "halo/eval/lanes/lanes.h"
#include "halo/ir/types/element_type.h"

namespace halo {

// Returns c128 if any of the types is complex, else f64 if any is a float, else u64, in which
// signed and unsigned integers are added modulo 2^64.
inline ElementType SumTypeOf(std::initializer_list<ElementType> types) {
  ElementType sum = ElementType::kU64;
  for (const ElementType type : types) {
    const LaneKind kind = LaneKindOf(type);
    if (kind == LaneKind::kComplex) return ElementType::kC128;
    if (kind == LaneKind::kFloat) sum = ElementType::kF64;
  }
  return sum;
}

}  // namespace halo

#endif  // HALO_EVAL_LANES_SUM_TYPE_H_
