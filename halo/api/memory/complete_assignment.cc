// Values are the same if the same node of the same instruction defines them.
#include "halo/api/memory/complete_assignment.h"

#include <map>
#include <utility>

namespace halo {
namespace {

// Copies where a value of the plan appears, unless the dump says so, and its uses.
void CopyUses(const PlannedMemory& plan, const AssignedValue& from, AssignedValue& value,
              Assignment& given, AssignmentIds& ids) {
  const Assignment& planned = plan.assignment;
  if (value.position_count == 0) {
    value.first_position = static_cast<uint32_t>(given.positions.size());
    value.position_count = from.position_count;
    for (const ValuePosition& position : planned.positions_of(from)) {
      given.positions.push_back({given.Text(planned.text(position.instruction)),
                                 given.Index(planned.index(position.index))});
    }
  }
  value.first_use = static_cast<uint32_t>(given.uses.size());
  value.use_count = from.use_count;
  for (uint32_t row = from.first_use; row < from.first_use + from.use_count; ++row) {
    const ValueUse& use = planned.uses[row];
    given.uses.push_back({given.Text(planned.text(use.instruction)), use.operand,
                          given.Index(planned.index(use.index))});
    ids.users.push_back(plan.ids.users[row]);
  }
}

}  // namespace

bool LacksLiveRanges(const Assignment& assignment) { return assignment.schedule_end < 0; }
bool LacksUses(const Assignment& assignment) { return assignment.uses.empty(); }

void CompleteAssignment(const PlannedMemory& plan, Assignment& given, AssignmentIds& ids) {
  const bool lacks_ranges = LacksLiveRanges(given);
  const bool lacks_uses = LacksUses(given);
  const Assignment& planned = plan.assignment;
  std::map<std::pair<InstId, uint32_t>, size_t> rows;  // of the plan, by where they are defined
  for (size_t i = 0; i < planned.values.size(); ++i) {
    rows.emplace(std::pair(plan.ids.values[i].inst, plan.ids.values[i].node), i);
  }
  for (size_t i = 0; i < given.values.size(); ++i) {
    if (!ids.values[i].shape.valid()) continue;
    const auto found = rows.find({ids.values[i].inst, ids.values[i].node});
    if (found == rows.end()) continue;
    const AssignedValue& known = planned.values[found->second];
    if (lacks_ranges) given.values[i].live = known.live;
    if (lacks_uses) CopyUses(plan, known, given.values[i], given, ids);
  }
  if (!lacks_ranges) return;
  given.schedule_end = planned.schedule_end;
  given.sequence.clear();
  for (const TextId id : planned.sequence) given.sequence.push_back(given.Text(planned.text(id)));
  ids.sequence = plan.ids.sequence;
}

}  // namespace halo
