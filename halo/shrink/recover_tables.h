// Constants printed as {...} that are tables with an entry for each device: what they hold follows
// from how an entry is used. It is the device's place along an axis; which axis, and in which unit,
// tell the clamps, slices and comparisons it meets and the groups of the collectives.
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

// Elements of elided constants, by instruction. Those in `given` are taken as they are; `told` says
// of every elided constant what became of it.
std::unordered_map<uint32_t, std::vector<int64_t>> RecoverTables(
    const Module& module, const DimSpace& space, const DimTable& dims, const DeviceAxes& devices,
    const Relations& relations, const Quantities& quantities,
    const std::vector<std::pair<std::string, std::vector<int64_t>>>& given,
    std::vector<RecoveredConstant>& told);

}  // namespace halo

#endif  // HALO_SHRINK_RECOVER_TABLES_H_
