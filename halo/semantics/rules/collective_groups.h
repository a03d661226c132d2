// The participants of a collective: the groups that an instruction names, what its numbers mean,
// and how large a group is.
#ifndef HALO_SEMANTICS_RULES_COLLECTIVE_GROUPS_H_
#define HALO_SEMANTICS_RULES_COLLECTIVE_GROUPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "halo/semantics/devices/device_groups.h"
#include "halo/semantics/rules/rule_context.h"

namespace halo {

// Returns nothing if use_global_device_ids is given without a channel.
std::optional<GroupMode> WrittenGroupMode(const RuleContext& op);

// Returns the groups as lists of devices; nothing if there are none or if they are too many to
// expand.
std::optional<std::vector<std::vector<int64_t>>> WrittenGroups(const RuleContext& op);

// Returns the number of members of one group; 1 if the number of devices is unknown.
int64_t GroupSize(const RuleContext& op, GroupMode mode);

// Checks that every group has members, that these are in range, that none appears twice, and that
// together they are all participants; also that all groups have one size if `uniform`.
bool NeedGroups(RuleContext& op, GroupMode mode, bool uniform);

}  // namespace halo

#endif  // HALO_SEMANTICS_RULES_COLLECTIVE_GROUPS_H_
