// New sizes for the undivided nodes of a DimSpace, and what follows from them: the size of every
// node, and the new position of each position within a dimension.
#ifndef HALO_SHRINK_DIMS_NEW_SIZES_H_
#define HALO_SHRINK_DIMS_NEW_SIZES_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "halo/shrink/dims/dim_space.h"

namespace halo {

class NewSizes {
 public:
  explicit NewSizes(const DimSpace& space) : space_(space) {}

  void Set(DimId leaf, int64_t size);
  [[nodiscard]] int64_t of(DimId node) const;
  [[nodiscard]] int64_t Product(const std::vector<DimId>& factors) const;
  [[nodiscard]] bool changed() const { return !sizes_.empty(); }
  [[nodiscard]] bool Changes(DimId node) const { return of(node) != space_.size(node); }

  // The new position of a position from 0 to the size. Products map digit by digit, sums part by
  // part, in order. Within an undivided node, a position near an edge keeps its distance to that
  // edge.
  [[nodiscard]] int64_t Position(DimId node, int64_t position) const;
  // The old element at a new position.
  [[nodiscard]] int64_t OldElement(DimId node, int64_t position) const;

 private:
  [[nodiscard]] int64_t Compute(DimId node) const;
  [[nodiscard]] int64_t Retiled(DimId node, const DimSpace::Retile& retile) const;

  const DimSpace& space_;
  std::unordered_map<uint32_t, int64_t> sizes_;  // of undivided nodes that change
  mutable std::vector<int64_t> memo_;            // INT64_MIN: unknown
};

}  // namespace halo

#endif  // HALO_SHRINK_DIMS_NEW_SIZES_H_
