// Loads and stores lanes at arbitrary element offsets. Evenly spaced offsets, the common case, are
// moved in one step.
#ifndef HALO_EVAL_LANES_LANE_OFFSETS_H_
#define HALO_EVAL_LANES_LANE_OFFSETS_H_

#include <cstdint>
#include <span>

#include "halo/eval/lanes/array.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {

// Loads element offsets[i] of the array into lane i, as a value of type `as`.
void GatherLanes(const Array& array, std::span<const int64_t> offsets, ElementType as, void* lanes);
// Stores lane i to element offsets[i]. If offsets are equal, the last one wins.
void ScatterLanes(const void* lanes, std::span<const int64_t> offsets, Array& array);

// Loads an element of an index operand, clamped to the range of int64.
int64_t LoadIndex(ElementType type, const uint8_t* from);

}  // namespace halo

#endif  // HALO_EVAL_LANES_LANE_OFFSETS_H_
