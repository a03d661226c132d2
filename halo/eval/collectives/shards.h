// Slices an array into the shards that devices hold, and gathers the whole array from them.
#ifndef HALO_EVAL_COLLECTIVES_SHARDS_H_
#define HALO_EVAL_COLLECTIVES_SHARDS_H_

#include <cstdint>
#include <span>

#include "halo/eval/lanes/array.h"
#include "halo/semantics/devices/tiling.h"

namespace halo {

// Gathers the whole array from one tile per device. If several devices hold the same tile, the
// first one's is used.
Array GatherShards(std::span<const Array> shards, const Tiling& tiling,
                   std::span<const int64_t> dims);
// Returns one device's tile. The part of the tile beyond the whole array is zero.
Array ShardOf(const Array& whole, const Tiling& tiling, int64_t device);

}  // namespace halo

#endif  // HALO_EVAL_COLLECTIVES_SHARDS_H_
