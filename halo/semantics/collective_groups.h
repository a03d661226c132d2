// Who takes part in a collective: the groups an instruction names, what its numbers stand for, and
// how large a group is.
#ifndef HALO_SEMANTICS_COLLECTIVE_GROUPS_H_
#define HALO_SEMANTICS_COLLECTIVE_GROUPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "halo/semantics/op_context.h"

namespace halo {

// What a number in replica_groups is.
enum class GroupMode : uint8_t {
  kReplicas,               // a replica; partitions stay apart
  kPartitions,             // a partition; replicas stay apart
  kReplicasAllPartitions,  // a replica with all its partitions
  kDevices,                // replica * partitions + partition
};

// Nothing if use_global_device_ids stands without a channel.
std::optional<GroupMode> GroupModeOf(const OpContext& op);

// The groups device by device; nothing if they are not written or too many to write out.
std::optional<std::vector<std::vector<int64_t>>> GroupsOf(const OpContext& op);

// Members of one group; 1 if nothing says how many devices there are.
int64_t GroupSize(const OpContext& op, GroupMode mode);

// Every group has members, in range, none twice, together all; and all are of one size if
// `uniform`.
bool NeedGroups(OpContext& op, GroupMode mode, bool uniform);

}  // namespace halo

#endif  // HALO_SEMANTICS_COLLECTIVE_GROUPS_H_
