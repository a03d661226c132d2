// Recovers constants printed as {...} that are tables with one entry per device. The contents
// follow from how an entry is used: it is the device's position along an axis. Which axis, and in
// which unit, follows from the clamps, slices and comparisons that use it and from the groups of
// the collectives.
#ifndef HALO_SHRINK_RECOVER_TABLES_H_
#define HALO_SHRINK_RECOVER_TABLES_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/shrink/dims/device_axes.h"
#include "halo/shrink/quantities.h"
#include "halo/shrink/relations/relations.h"
#include "halo/shrink/shrink.h"

namespace halo {

// Elements of elided constants, by instruction. Those in `given` are used unchanged. `told` reports
// the outcome for every elided constant.
std::unordered_map<uint32_t, std::vector<int64_t>> RecoverTables(
    const Module& module, const DimSpace& space, const DimTable& dims, const DeviceAxes& devices,
    const Relations& relations, const Quantities& quantities,
    const std::vector<std::pair<std::string, std::vector<int64_t>>>& given,
    std::vector<RecoveredConstant>& told);

}  // namespace halo

#endif  // HALO_SHRINK_RECOVER_TABLES_H_
