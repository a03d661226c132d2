// Where an array with a tiled layout stores each of its elements. Only bitcasts that take or drop
// padding need this; all other ops see logical elements.
#ifndef HALO_EVAL_OPS_TILED_STORAGE_H_
#define HALO_EVAL_OPS_TILED_STORAGE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/ir/types/shape.h"

namespace halo {

class TiledStorage {
 public:
  // Returns nothing if the layout combines dimensions, or if the storage is too large to address.
  static std::optional<TiledStorage> Make(std::span<const int64_t> dims, const Layout& layout);

  // In elements, including padding.
  [[nodiscard]] int64_t size() const { return size_; }
  // The stored position of the element at a logical index.
  [[nodiscard]] int64_t PositionOf(std::span<const int64_t> index) const;

 private:
  // A dimension of the storage: the index along `dim`, divided by `divisor`, modulo `extent`.
  struct Axis {
    size_t dim;  // SIZE_MAX: an index that is always 0
    int64_t extent;
    int64_t divisor;
  };
  std::vector<Axis> axes_;  // major to minor
  int64_t size_ = 0;
};

}  // namespace halo

#endif  // HALO_EVAL_OPS_TILED_STORAGE_H_
