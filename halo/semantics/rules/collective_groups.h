// Who takes part in a collective: the groups an instruction names, what its numbers stand for, and
// how large a group is.
#ifndef HALO_SEMANTICS_RULES_COLLECTIVE_GROUPS_H_
#define HALO_SEMANTICS_RULES_COLLECTIVE_GROUPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "halo/semantics/devices/device_groups.h"
#include "halo/semantics/rules/rule_context.h"

namespace halo {

// Nothing if use_global_device_ids stands without a channel.
std::optional<GroupMode> WrittenGroupMode(const RuleContext& op);

// The groups device by device; nothing if they are not written or too many to write out.
std::optional<std::vector<std::vector<int64_t>>> WrittenGroups(const RuleContext& op);

// Members of one group; 1 if nothing says how many devices there are.
int64_t GroupSize(const RuleContext& op, GroupMode mode);

// Every group has members, in range, none twice, together all; and all are of one size if
// `uniform`.
bool NeedGroups(RuleContext& op, GroupMode mode, bool uniform);

}  // namespace halo

#endif  // HALO_SEMANTICS_RULES_COLLECTIVE_GROUPS_H_
