// Which devices take part together in a collective. What the numbers of replica_groups stand for
// follows, as in XLA, from the op, its channel_id and use_global_device_ids.
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

// What a number in replica_groups stands for; the names are XLA's.
enum class GroupMode : uint8_t {
  kCrossReplica,              // a replica; partitions stay apart
  kCrossPartition,            // a partition; replicas stay apart
  kCrossReplicaAndPartition,  // a replica with all its partitions
  kFlattenedId                // replica * partitions + partition
};
GroupMode GroupModeOf(const Module& module, const Inst& inst, Opcode opcode);

// The groups of an instruction, as device numbers in the order the op counts them. Devices beyond
// the grid are left out; a device in no group is a group by itself. For permutes and transfers:
// all devices that share a replica or a partition, whichever the op moves along.
Result<std::vector<std::vector<int64_t>>> GroupsOf(const Module& module, InstId id,
                                                   const DeviceGrid& grid);

}  // namespace halo

#endif  // HALO_SEMANTICS_DEVICES_DEVICE_GROUPS_H_
