// Which tile of an array each device of a sharding holds. For modules that are not partitioned yet,
// whose shapes are those of the whole arrays.
#ifndef HALO_SEMANTICS_DEVICES_TILING_H_
#define HALO_SEMANTICS_DEVICES_TILING_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/ir/sharding/sharding.h"
#include "halo/ir/types/dims.h"

namespace halo {

// The positions of an array's tiles. TilingOf returns nothing if the sharding is anything other
// than tiles and copies, or names devices other than 0 to `devices` - 1.
struct Tiling {
  Dims tile;                  // dimensions of a tile; the last of a row is padded
  std::vector<Dims> corners;  // of each device's tile
};
std::optional<Tiling> TilingOf(const Sharding& sharding, std::span<const int64_t> dims,
                               int64_t devices);

// Returns the dimensions of the whole array that has these tiles, none of them padded.
std::optional<Dims> WholeDims(const Sharding& sharding, std::span<const int64_t> tile,
                              int64_t devices);

}  // namespace halo

#endif  // HALO_SEMANTICS_DEVICES_TILING_H_
