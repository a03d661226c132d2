// Tiles are copied row by row of their last dimension.
#include "halo/api/shards.h"

#include <algorithm>
#include <cstring>

namespace halo {
namespace {

// Calls `copy` with the offsets, in elements, of each row both in the tile and in the whole, and
// with its length there.
template <class Copy>
void ForEachRow(std::span<const int64_t> tile, std::span<const int64_t> corner,
                std::span<const int64_t> dims, const Copy& copy) {
  const size_t rank = dims.size();
  if (rank == 0) return copy(0, 0, 1);
  if (ElementsIn(tile) == 0 || ElementsIn(dims) == 0) return;
  const Dims strides = RowMajorStrides(dims);
  Dims rows(tile.begin(), tile.end());
  rows[rank - 1] = 1;
  Dims index(rank, 0);
  int64_t in_tile = 0;
  do {
    int64_t in_whole = 0;
    bool inside = corner[rank - 1] < dims[rank - 1];
    for (size_t d = 0; d < rank; ++d) {
      inside = inside && corner[d] + index[d] < dims[d];
      in_whole += (corner[d] + index[d]) * strides[d];
    }
    if (inside) {
      copy(in_tile, in_whole, std::min(tile[rank - 1], dims[rank - 1] - corner[rank - 1]));
    }
    in_tile += tile[rank - 1];
  } while (NextIndex(rows, index));
}

}  // namespace

std::optional<Tiling> TilingOf(const Sharding& sharding, std::span<const int64_t> dims,
                               int64_t devices) {
  Tiling tiling;
  tiling.tile.assign(dims.begin(), dims.end());
  tiling.corners.assign(static_cast<size_t>(devices), Dims(dims.size(), 0));
  if (sharding.kind == ShardingKind::kReplicated) return tiling;
  if (sharding.kind != ShardingKind::kTiled || sharding.tile_dims.size() < dims.size()) {
    return std::nullopt;
  }
  const std::optional<std::vector<int64_t>> order =
      ExpandOrder(sharding.order, static_cast<size_t>(devices));
  if (!order || static_cast<int64_t>(order->size()) != devices) return std::nullopt;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t parts = sharding.tile_dims[d];
    if (parts <= 0) return std::nullopt;
    tiling.tile[d] = (dims[d] + parts - 1) / parts;
  }
  Dims grid(sharding.tile_dims.size(), 0);
  std::vector<bool> seen(static_cast<size_t>(devices), false);
  for (const int64_t device : *order) {
    if (device < 0 || device >= devices || seen[static_cast<size_t>(device)]) return std::nullopt;
    seen[static_cast<size_t>(device)] = true;
    for (size_t d = 0; d < dims.size(); ++d) {
      tiling.corners[static_cast<size_t>(device)][d] = grid[d] * tiling.tile[d];
    }
    NextIndex(sharding.tile_dims, grid);
  }
  return tiling;
}

Array JoinShards(std::span<const Array> shards, const Tiling& tiling,
                 std::span<const int64_t> dims) {
  Array whole(shards[0].type(), dims);
  const size_t width = whole.element_bytes();
  uint8_t* to = whole.MutableBytes();
  for (size_t device = shards.size(); device-- > 0;) {
    const uint8_t* from = shards[device].bytes();
    ForEachRow(tiling.tile, tiling.corners[device], dims,
               [&](int64_t in_tile, int64_t in_whole, int64_t count) {
                 std::memcpy(to + static_cast<size_t>(in_whole) * width,
                             from + static_cast<size_t>(in_tile) * width,
                             static_cast<size_t>(count) * width);
               });
  }
  return whole;
}

Array ShardOf(const Array& whole, const Tiling& tiling, int64_t device) {
  Array shard(whole.type(), tiling.tile);
  const size_t width = whole.element_bytes();
  uint8_t* to = shard.MutableBytes();
  const uint8_t* from = whole.bytes();
  ForEachRow(tiling.tile, tiling.corners[static_cast<size_t>(device)], whole.dims(),
             [&](int64_t in_tile, int64_t in_whole, int64_t count) {
               std::memcpy(to + static_cast<size_t>(in_tile) * width,
                           from + static_cast<size_t>(in_whole) * width,
                           static_cast<size_t>(count) * width);
             });
  return shard;
}

}  // namespace halo
