// Options and later changes name instructions by id, so they follow every change of the order.
#include "halo/memory/advise/advice_change.h"

#include <algorithm>

#include "halo/memory/advise/donation.h"

namespace halo {
namespace {

// True if every instruction comes after everything it needs.
bool IsOrdered(const Module& module) {
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    const Inst& inst = module.insts[i];
    for (const InstId operand : module.operands_of(inst)) {
      if (operand.valid() && operand.value >= i) return false;
    }
    for (const int64_t pred : module.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
      if (pred >= static_cast<int64_t>(i)) return false;
    }
  }
  return true;
}

// The options name instructions by their ids before the change.
void FollowOrigin(const std::vector<InstId>& origin, AssignOptions& assign) {
  std::vector<InstId> now(origin.size());
  for (uint32_t i = 0; i < origin.size(); ++i) {
    if (origin[i].valid()) now[origin[i].index()] = InstId(i);
  }
  for (ResizedValue& each : assign.resized) each.inst = now[each.inst.index()];
  for (PresetColor& preset : assign.presets) {
    for (PresetValue& each : preset.values) each.inst = now[each.inst.index()];
  }
}

}  // namespace

std::optional<ChangedProgram> ApplyChange(const Module& module, const AdviceChange& change,
                                          const AssignOptions& assign) {
  ChangedProgram changed;
  changed.assign = assign;
  if (!change.donations.empty()) {
    if (!changed.assign.aliases) changed.assign.aliases = AliasesOf(module);
    changed.assign.aliases->insert(changed.assign.aliases->end(), change.donations.begin(),
                                   change.donations.end());
  }
  changed.assign.resized.insert(changed.assign.resized.end(), change.resized.begin(),
                                change.resized.end());
  if (change.moves.empty() && change.repeats.empty()) return changed;
  Module& after = changed.module.emplace(module);
  if (!change.moves.empty()) {
    changed.origin = MoveInstructions(after, change.moves);
  } else {
    for (uint32_t i = 0; i < module.insts.size(); ++i) changed.origin.emplace_back(i);
  }
  // From the end, so that the positions before stay valid.
  std::vector<InstPosition> repeats = change.repeats;
  std::sort(repeats.begin(), repeats.end(),
            [](const InstPosition& a, const InstPosition& b) { return b.before < a.before; });
  for (const InstPosition& each : repeats) {
    RepeatInstruction(after, each);
    changed.origin.insert(changed.origin.begin() + each.before.value, InstId());
  }
  if (!IsOrdered(after)) return std::nullopt;
  FollowOrigin(changed.origin, changed.assign);
  return changed;
}

}  // namespace halo
