// Slicing an array into the shards that devices hold, and gathering the whole from them.
#ifndef HALO_EVAL_COLLECTIVES_SHARDS_H_
#define HALO_EVAL_COLLECTIVES_SHARDS_H_

#include <cstdint>
#include <span>

#include "halo/eval/lanes/array.h"
#include "halo/semantics/devices/tiling.h"

namespace halo {

// The whole from one tile per device; tiles that several devices hold are taken from the first.
Array JoinShards(std::span<const Array> shards, const Tiling& tiling,
                 std::span<const int64_t> dims);
// One device's tile; where it reaches beyond the whole it is zero.
Array ShardOf(const Array& whole, const Tiling& tiling, int64_t device);

}  // namespace halo

#endif  // HALO_EVAL_COLLECTIVES_SHARDS_H_
