// Tiles are copied row by row of their last dimension.
#include "halo/eval/shards.h"

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

// How many parts each dimension is cut into, and for each device which part it holds.
struct Cut {
  Dims parts;
  std::vector<Dims> part_of;
};

std::optional<std::vector<int64_t>> DevicesOf(const DeviceOrder& order, int64_t devices) {
  std::optional<std::vector<int64_t>> list = ExpandOrder(order, static_cast<size_t>(devices));
  if (!list || static_cast<int64_t>(list->size()) != devices) return std::nullopt;
  std::vector<bool> seen(static_cast<size_t>(devices), false);
  for (const int64_t device : *list) {
    if (device < 0 || device >= devices || seen[static_cast<size_t>(device)]) return std::nullopt;
    seen[static_cast<size_t>(device)] = true;
  }
  return list;
}

std::optional<Cut> CutByGrid(const Sharding& sharding, size_t rank, int64_t devices) {
  const std::optional<std::vector<int64_t>> order = DevicesOf(sharding.order, devices);
  if (!order || sharding.tile_dims.size() < rank) return std::nullopt;
  Cut cut;
  cut.parts.assign(sharding.tile_dims.begin(),
                   sharding.tile_dims.begin() + static_cast<ptrdiff_t>(rank));
  cut.part_of.resize(static_cast<size_t>(devices));
  Dims grid(sharding.tile_dims.size(), 0);
  for (const int64_t device : *order) {
    cut.part_of[static_cast<size_t>(device)].assign(grid.begin(),
                                                    grid.begin() + static_cast<ptrdiff_t>(rank));
    NextIndex(sharding.tile_dims, grid);
  }
  return cut;
}

std::optional<Cut> CutByMesh(const Sharding& sharding, size_t rank, int64_t devices) {
  const std::optional<std::vector<int64_t>> order = DevicesOf(sharding.mesh.order, devices);
  if (!order || sharding.form != NamedForm::kDimensions || sharding.dimensions.size() != rank) {
    return std::nullopt;
  }
  const Dims sizes = sharding.mesh.sizes();
  Cut cut;
  cut.parts.assign(rank, 1);
  cut.part_of.assign(static_cast<size_t>(devices), Dims(rank, 0));
  Dims at(sizes.size(), 0);
  for (const int64_t device : *order) {
    for (size_t d = 0; d < rank; ++d) {
      int64_t parts = 1;
      int64_t part = 0;
      for (const AxisRef& ref : sharding.dimensions[d].axes) {
        const auto axis = static_cast<size_t>(ref.axis);
        if (axis >= sizes.size() || ref.is_part()) return std::nullopt;
        parts *= sizes[axis];
        part = part * sizes[axis] + at[axis];
      }
      cut.parts[d] = parts;
      cut.part_of[static_cast<size_t>(device)][d] = part;
    }
    NextIndex(sizes, at);
  }
  return cut;
}

std::optional<Cut> CutOf(const Sharding& sharding, size_t rank, int64_t devices) {
  switch (sharding.kind) {
    case ShardingKind::kReplicated:
      return Cut{Dims(rank, 1), std::vector<Dims>(static_cast<size_t>(devices), Dims(rank, 0))};
    case ShardingKind::kTiled: return CutByGrid(sharding, rank, devices);
    case ShardingKind::kNamed: return CutByMesh(sharding, rank, devices);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Tiling> TilingOf(const Sharding& sharding, std::span<const int64_t> dims,
                               int64_t devices) {
  Tiling tiling;
  tiling.tile.assign(dims.begin(), dims.end());
  tiling.corners.assign(static_cast<size_t>(devices), Dims(dims.size(), 0));
  const std::optional<Cut> cut = CutOf(sharding, dims.size(), devices);
  if (!cut) return std::nullopt;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (cut->parts[d] <= 0) return std::nullopt;
    tiling.tile[d] = (dims[d] + cut->parts[d] - 1) / cut->parts[d];
    for (size_t device = 0; device < tiling.corners.size(); ++device) {
      tiling.corners[device][d] = cut->part_of[device][d] * tiling.tile[d];
    }
  }
  return tiling;
}

std::optional<Dims> WholeDims(const Sharding& sharding, std::span<const int64_t> tile,
                              int64_t devices) {
  const std::optional<Cut> cut = CutOf(sharding, tile.size(), devices);
  if (!cut) return std::nullopt;
  Dims dims(tile.begin(), tile.end());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (cut->parts[d] <= 0 || __builtin_mul_overflow(dims[d], cut->parts[d], &dims[d])) {
      return std::nullopt;
    }
  }
  return dims;
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
