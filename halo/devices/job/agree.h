// Whether all devices are about to do the same collectives, found before any of them starts.
#ifndef HALO_DEVICES_JOB_AGREE_H_
#define HALO_DEVICES_JOB_AGREE_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/runtime/collective.h"

namespace halo {

// What one device alone can see is wrong: groups that leave a device out or name it twice,
// addresses of devices that do not exist, transfers without another side.
std::optional<Diagnostic> CheckCollectives(std::span<const CollectiveOp> ops, int64_t devices);

// All that devices must agree on, a line for each op.
std::string CollectiveLines(std::span<const CollectiveOp> ops);

// `lines` are every device's. The first difference, naming both devices and what each has there.
std::optional<Diagnostic> CompareCollectives(std::span<const std::string> lines);

}  // namespace halo

#endif  // HALO_DEVICES_JOB_AGREE_H_
