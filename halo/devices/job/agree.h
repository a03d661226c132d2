// Checks that all devices are about to run the same collectives, before any of them starts.
#ifndef HALO_DEVICES_JOB_AGREE_H_
#define HALO_DEVICES_JOB_AGREE_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/runtime/collective.h"

namespace halo {

// Errors that one device can detect alone: groups that omit a device or name it twice, ids of
// devices that do not exist, transfers without a counterpart.
std::optional<Diagnostic> CheckCollectives(std::span<const CollectiveOp> ops, int64_t devices);

// Everything that the devices must agree on, one line per op.
std::string CollectiveLines(std::span<const CollectiveOp> ops);

// `lines` has one entry per device. Reports the first difference, naming both devices and what each
// has at that point.
std::optional<Diagnostic> CompareCollectives(std::span<const std::string> lines);

}  // namespace halo

#endif  // HALO_DEVICES_JOB_AGREE_H_
