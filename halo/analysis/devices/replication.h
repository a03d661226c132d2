// Which devices must hold the same value at an instruction, whatever the data: devices that were
// given the same value or took part in the same all-reduce, and everything computed from such
// values without reading the device's number. Covers computations that are called once per value,
// not those applied to single elements.
#ifndef HALO_ANALYSIS_DEVICES_REPLICATION_H_
#define HALO_ANALYSIS_DEVICES_REPLICATION_H_

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"
#include "halo/semantics/devices/device_groups.h"

namespace halo {

// For each device, the lowest device that must hold the same value.
using DeviceClasses = std::vector<uint32_t>;

// Devices with equal keys form one class.
template <class Key>
DeviceClasses ClassesByKey(std::span<const Key> keys) {
  std::map<Key, uint32_t> first;
  DeviceClasses classes;
  for (uint32_t d = 0; d < keys.size(); ++d) {
    classes.push_back(first.try_emplace(keys[d], d).first->second);
  }
  return classes;
}

class Replication {
 public:
  // `parameters` gives the classes of the entry's array leaves, by parameter and leaf; missing ones
  // are assumed to differ on every device.
  static Result<Replication> Analyze(const Module& module, const DeviceGrid& grid,
                                     const std::vector<std::vector<DeviceClasses>>& parameters);

  // The classes of array leaf `leaf` in an instruction's result; empty if nothing is known.
  [[nodiscard]] std::span<const uint32_t> ClassesOf(InstId inst, size_t leaf) const;

  // The number of instructions at which some devices must hold the same value.
  [[nodiscard]] int64_t CountTied() const;

 private:
  friend class ReplicationSolver;
  std::vector<std::vector<uint32_t>> leaves_;  // by instruction: rows of classes_
  std::vector<DeviceClasses> classes_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_DEVICES_REPLICATION_H_
