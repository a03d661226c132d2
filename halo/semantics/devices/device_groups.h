// Which devices participate together in a collective. As in XLA, the op, its channel_id and
// use_global_device_ids determine what the numbers in replica_groups mean.
#ifndef HALO_SEMANTICS_DEVICES_DEVICE_GROUPS_H_
#define HALO_SEMANTICS_DEVICES_DEVICE_GROUPS_H_

#include <cstdint>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"

namespace halo {

// Device d is replica d / partitions, partition d % partitions.
struct DeviceGrid {
  int64_t replicas = 1;
  int64_t partitions = 1;
  [[nodiscard]] int64_t count() const { return replicas * partitions; }
};

// What a number in replica_groups means. The names are XLA's.
enum class GroupMode : uint8_t {
  kCrossReplica,              // a replica; partitions are separate
  kCrossPartition,            // a partition; replicas are separate
  kCrossReplicaAndPartition,  // a replica with all its partitions
  kFlattenedId                // replica * partitions + partition
};
GroupMode GroupModeOf(const Module& module, const Inst& inst, Opcode opcode);

// Returns the groups of an instruction as device numbers, in the order in which the op numbers
// them. Devices beyond the grid are left out; a device that is in no group forms its own group. For
// permutes and transfers, a group is all devices that share a replica or a partition, whichever the
// op moves along.
Result<std::vector<std::vector<int64_t>>> GroupsOf(const Module& module, InstId id,
                                                   const DeviceGrid& grid);

}  // namespace halo

#endif  // HALO_SEMANTICS_DEVICES_DEVICE_GROUPS_H_
