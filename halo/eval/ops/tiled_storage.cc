// Each tile splits the minor axes of the storage in two: which tile, and where in it. Later tiles
// split the axes within the tiles of the one before.
#include "halo/eval/ops/tiled_storage.h"

#include <cstddef>

namespace halo {

std::optional<TiledStorage> TiledStorage::Make(std::span<const int64_t> dims,
                                               const Layout& layout) {
  if (layout.minor_to_major.size() != dims.size()) return std::nullopt;
  TiledStorage storage;
  for (size_t i = dims.size(); i-- > 0;) {
    const int64_t dim = layout.minor_to_major[i];
    if (dim < 0 || static_cast<size_t>(dim) >= dims.size()) return std::nullopt;
    storage.axes_.push_back({static_cast<size_t>(dim), dims[static_cast<size_t>(dim)], 1});
  }
  for (const std::vector<int64_t>& tile : layout.tiles) {
    while (storage.axes_.size() < tile.size()) {
      storage.axes_.insert(storage.axes_.begin(), {SIZE_MAX, 1, 1});
    }
    const size_t first = storage.axes_.size() - tile.size();
    std::vector<Axis> within;
    for (size_t i = 0; i < tile.size(); ++i) {
      if (tile[i] < 1) return std::nullopt;  // also kCombineDimension
      Axis& axis = storage.axes_[first + i];
      within.push_back({axis.dim, tile[i], axis.divisor});
      axis.extent = (axis.extent + tile[i] - 1) / tile[i];
      if (__builtin_mul_overflow(axis.divisor, tile[i], &axis.divisor)) return std::nullopt;
    }
    storage.axes_.insert(storage.axes_.end(), within.begin(), within.end());
  }
  storage.size_ = 1;
  for (const Axis& axis : storage.axes_) {
    if (__builtin_mul_overflow(storage.size_, axis.extent, &storage.size_)) return std::nullopt;
  }
  return storage;
}

int64_t TiledStorage::PositionOf(std::span<const int64_t> index) const {
  int64_t position = 0;
  for (const Axis& axis : axes_) {
    const int64_t at = axis.dim == SIZE_MAX ? 0 : index[axis.dim] / axis.divisor % axis.extent;
    position = position * axis.extent + at;
  }
  return position;
}

}  // namespace halo
