// Constants that are sizes or offsets, and what they become: each use of a constant meets a
// quantity, the quantity is an index into some dimension, and the constant is a position in it.
#ifndef HALO_SHRINK_SIZE_CONSTANTS_H_
#define HALO_SHRINK_SIZE_CONSTANTS_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "halo/shrink/dims/device_axes.h"
#include "halo/shrink/dims/dim_table.h"
#include "halo/shrink/dims/new_sizes.h"
#include "halo/shrink/quantities.h"
#include "halo/shrink/shrink.h"

namespace halo {

class SizeConstants {
 public:
  SizeConstants(const Module& module, DimSpace& space, const DimTable& dims,
                const Quantities& quantities);

  // Before sizes are chosen: tables with an entry for each device go with the devices, and what
  // counts a loop's steps stays.
  void Relate(const DeviceAxes& devices);

  // New elements of each constant that changes, all of the old ones; `values` gives those of
  // constants that had none.
  std::unordered_map<uint32_t, std::vector<int64_t>> NewValues(
      const NewSizes& sizes, const std::unordered_map<uint32_t, std::vector<int64_t>>& values,
      std::vector<ChangedConstant>& changes) const;

  // Dimensions that a quantity is an index into.
  [[nodiscard]] const std::vector<DimId>& IndexedBy(uint32_t quantity) const;

 private:
  // Where a position in one of these dimensions goes; the position itself if none tells.
  [[nodiscard]] int64_t Move(const std::vector<DimId>& nodes, int64_t value,
                             const NewSizes& sizes) const;
  [[nodiscard]] std::vector<int64_t> Elements(InstId constant) const;

  const Module& module_;
  DimSpace& space_;
  const DimTable& dims_;
  const Quantities& quantities_;
  std::unordered_map<uint32_t, std::vector<DimId>> indexed_;
};

}  // namespace halo

#endif  // HALO_SHRINK_SIZE_CONSTANTS_H_
