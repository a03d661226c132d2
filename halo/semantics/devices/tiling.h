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

}  // namespace halo

#endif  // HALO_SEMANTICS_DEVICES_TILING_H_
