// The devices of a module as one dimension of its DimSpace. Replica groups split it into axes, so
// that a gathered dimension has the device axis as a factor and both shrink together.
#ifndef HALO_SHRINK_DIMS_DEVICE_AXES_H_
#define HALO_SHRINK_DIMS_DEVICE_AXES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halo/ir/module.h"
#include "halo/shrink/dims/dim_space.h"

namespace halo {

class DeviceAxes {
 public:
  DeviceAxes(const Module& module, DimSpace& space);

  [[nodiscard]] int64_t count() const { return count_; }
  // The flattened device number.
  [[nodiscard]] DimId node() const { return node_; }
  // The axes that the members of a collective's groups run along, major to minor.
  std::vector<DimId> GroupAxes(InstId inst);

  // `count` devices, `stride` apart: among axes of this length, the one that the most groups run
  // along.
  struct Axis {
    int64_t count = 1, stride = 1;
  };
  [[nodiscard]] std::optional<Axis> AxisOf(int64_t count) const;

 private:
  int64_t CountDevices() const;
  std::optional<DimId> AxisAt(int64_t count, int64_t stride, InstId why);

  const Module& module_;
  DimSpace& space_;
  int64_t count_ = 1;
  bool mixed_ = false;  // both replicas and partitions
  DimId node_;
  std::vector<std::pair<Axis, int64_t>> seen_;  // and how often
};

// The groups of a collective as lists of devices; nothing if they are too many to write out. An
// empty list of groups means one group of all devices.
std::optional<std::vector<std::vector<int64_t>>> GroupLists(const Module& module, const Inst& inst,
                                                            int64_t devices);

}  // namespace halo

#endif  // HALO_SHRINK_DIMS_DEVICE_AXES_H_
