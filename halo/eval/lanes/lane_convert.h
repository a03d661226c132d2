// Converts lanes between element types, as HLO's convert does.
#ifndef HALO_EVAL_LANES_LANE_CONVERT_H_
#define HALO_EVAL_LANES_LANE_CONVERT_H_

#include <cstddef>

#include "halo/ir/types/element_type.h"

namespace halo {

// Converts lanes of one type to lanes of another. Floats saturate when converted to integers, and
// NaN becomes zero.
void ConvertLanes(ElementType from, ElementType to, const void* in, void* out, size_t n);

}  // namespace halo

#endif  // HALO_EVAL_LANES_LANE_CONVERT_H_
