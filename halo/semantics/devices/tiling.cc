// Derives tiles from a grid of devices or from the axes of a mesh.
#include "halo/semantics/devices/tiling.h"

namespace halo {
namespace {

// The number of parts along each dimension, and the part that each device holds.
struct Slicing {
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

Slicing WholeOnEach(size_t rank, int64_t devices) {
  return {Dims(rank, 1), std::vector<Dims>(static_cast<size_t>(devices), Dims(rank, 0))};
}

std::optional<Slicing> SliceByGrid(const Sharding& sharding, size_t rank, int64_t devices) {
  const std::optional<std::vector<int64_t>> order = DevicesOf(sharding.order, devices);
  if (!order || sharding.tile_dims.size() < rank) return std::nullopt;
  Slicing slicing;
  slicing.parts.assign(sharding.tile_dims.begin(),
                       sharding.tile_dims.begin() + static_cast<ptrdiff_t>(rank));
  slicing.part_of.resize(static_cast<size_t>(devices));
  Dims grid(sharding.tile_dims.size(), 0);
  for (const int64_t device : *order) {
    slicing.part_of[static_cast<size_t>(device)].assign(
        grid.begin(), grid.begin() + static_cast<ptrdiff_t>(rank));
    NextIndex(sharding.tile_dims, grid);
  }
  return slicing;
}

std::optional<Slicing> SliceByMesh(const Sharding& sharding, size_t rank, int64_t devices) {
  if (sharding.form == NamedForm::kReplicated) return WholeOnEach(rank, devices);
  const std::optional<std::vector<int64_t>> order = DevicesOf(sharding.mesh.order, devices);
  if (!order || sharding.form != NamedForm::kDimensions || sharding.dimensions.size() != rank) {
    return std::nullopt;
  }
  const Dims sizes = sharding.mesh.sizes();
  Slicing slicing;
  slicing.parts.assign(rank, 1);
  slicing.part_of.assign(static_cast<size_t>(devices), Dims(rank, 0));
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
      slicing.parts[d] = parts;
      slicing.part_of[static_cast<size_t>(device)][d] = part;
    }
    NextIndex(sizes, at);
  }
  return slicing;
}

std::optional<Slicing> SlicingOf(const Sharding& sharding, size_t rank, int64_t devices) {
  switch (sharding.kind) {
    case ShardingKind::kReplicated: return WholeOnEach(rank, devices);
    case ShardingKind::kTiled: return SliceByGrid(sharding, rank, devices);
    case ShardingKind::kNamed: return SliceByMesh(sharding, rank, devices);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Tiling> TilingOf(const Sharding& sharding, std::span<const int64_t> dims,
                               int64_t devices) {
  Tiling tiling;
  tiling.tile.assign(dims.begin(), dims.end());
  tiling.corners.assign(static_cast<size_t>(devices), Dims(dims.size(), 0));
  const std::optional<Slicing> slicing = SlicingOf(sharding, dims.size(), devices);
  if (!slicing) return std::nullopt;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (slicing->parts[d] <= 0) return std::nullopt;
    tiling.tile[d] = (dims[d] + slicing->parts[d] - 1) / slicing->parts[d];
    for (size_t device = 0; device < tiling.corners.size(); ++device) {
      tiling.corners[device][d] = slicing->part_of[device][d] * tiling.tile[d];
    }
  }
  return tiling;
}

std::optional<Dims> WholeDims(const Sharding& sharding, std::span<const int64_t> tile,
                              int64_t devices) {
  const std::optional<Slicing> slicing = SlicingOf(sharding, tile.size(), devices);
  if (!slicing) return std::nullopt;
  Dims dims(tile.begin(), tile.end());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (slicing->parts[d] <= 0 || __builtin_mul_overflow(dims[d], slicing->parts[d], &dims[d])) {
      return std::nullopt;
    }
  }
  return dims;
}

}  // namespace halo
