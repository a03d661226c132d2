// The pieces of an array that the devices of a sharding hold: which part is whose, and the whole
// from the parts. For modules that are not partitioned yet, whose shapes are those of the whole.
#ifndef HALO_EVAL_SHARDS_H_
#define HALO_EVAL_SHARDS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/eval/array.h"
#include "halo/ir/sharding.h"

namespace halo {

// Where the tiles of an array lie. Nothing if the sharding says something else than tiles and
// copies, or names other devices than 0 to `devices` - 1.
struct Tiling {
  Dims tile;                  // dimensions of one, the last of a row padded
  std::vector<Dims> corners;  // of each device's tile
};
std::optional<Tiling> TilingOf(const Sharding& sharding, std::span<const int64_t> dims,
                               int64_t devices);

// Of what these are the tiles, none of them padded.
std::optional<Dims> WholeDims(const Sharding& sharding, std::span<const int64_t> tile,
                              int64_t devices);

// The whole from one tile per device; tiles that several devices hold are taken from the first.
Array JoinShards(std::span<const Array> shards, const Tiling& tiling,
                 std::span<const int64_t> dims);
// One device's tile; where it reaches beyond the whole it is zero.
Array ShardOf(const Array& whole, const Tiling& tiling, int64_t device);

}  // namespace halo

#endif  // HALO_EVAL_SHARDS_H_
