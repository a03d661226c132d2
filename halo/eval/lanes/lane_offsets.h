// Lanes from and to elements at arbitrary offsets. Offsets that are evenly spaced, as most are, are
// moved in one go.
#ifndef HALO_EVAL_LANES_LANE_OFFSETS_H_
#define HALO_EVAL_LANES_LANE_OFFSETS_H_

#include <cstdint>
#include <span>

#include "halo/eval/lanes/array.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {

// Element offsets[i] of the array to lane i, as a value of type `as`.
void GatherLanes(const Array& array, std::span<const int64_t> offsets, ElementType as, void* lanes);
// Lane i to element offsets[i]; of equal offsets the last one stays.
void ScatterLanes(const void* lanes, std::span<const int64_t> offsets, Array& array);

// An index operand's element; beyond int64's range its limit.
int64_t LoadIndex(ElementType type, const uint8_t* from);

}  // namespace halo

#endif  // HALO_EVAL_LANES_LANE_OFFSETS_H_
