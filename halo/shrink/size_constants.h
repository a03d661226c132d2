// Finds constants that are sizes or offsets, and their new values: each use of a constant meets a
// quantity, the quantity indexes some dimension, and the constant is a position in it.
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

  // Call before sizes are chosen: tables with one entry per device follow the devices, and loop
  // trip counts stay.
  void Relate(const DeviceAxes& devices);

  // The new elements of each constant that changes, with as many as the old ones. `values` supplies
  // those of elided constants.
  std::unordered_map<uint32_t, std::vector<int64_t>> NewValues(
      const NewSizes& sizes, const std::unordered_map<uint32_t, std::vector<int64_t>>& values,
      std::vector<ChangedConstant>& changes) const;

  // The dimensions that a quantity indexes.
  [[nodiscard]] const std::vector<DimId>& IndexedBy(uint32_t quantity) const;

 private:
  // The new position of a position in one of these dimensions; unchanged if none of them fits.
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
