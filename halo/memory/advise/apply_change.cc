// Instructions are moved first, then repeated; ids are followed through both.
#include "halo/memory/advise/apply_change.h"

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
void Follow(const std::vector<InstId>& origin, AssignOptions& assign) {
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

std::set<LateUse> LateUses(const BoundAssignment& bound, const std::vector<InstId>& origin) {
  const Assignment& assignment = bound.assignment();
  const auto before = [&](InstId id) {
    return origin.empty() || !id.valid() ? id : origin[id.index()];
  };
  std::set<LateUse> late;
  for (size_t i = 0; i < assignment.values.size(); ++i) {
    const AssignedValue& value = assignment.values[i];
    if (!value.live.known()) continue;
    for (const ValueUse& use : assignment.uses_of(value)) {
      const InstId user = bound.user(use);
      if (bound.time(user) <= value.live.end) continue;
      const BoundValue defined = bound.value(ValueId(i));
      late.emplace(before(defined.inst), defined.node, before(user));
    }
  }
  return late;
}

std::optional<ChangedProgram> ApplyChange(const Module& module, const AdviceCandidate& candidate,
                                          const AssignOptions& assign) {
  ChangedProgram changed;
  changed.assign = assign;
  std::optional<std::vector<AliasEntry>>& aliases = changed.assign.aliases;
  if (!candidate.donations.empty()) {
    if (!aliases) aliases = AliasesOf(module);
    aliases->insert(aliases->end(), candidate.donations.begin(), candidate.donations.end());
  }
  std::vector<ResizedValue>& resized = changed.assign.resized;
  resized.insert(resized.end(), candidate.resized.begin(), candidate.resized.end());
  if (candidate.moves.empty() && candidate.repeats.empty()) return changed;
  changed.module = module;
  std::vector<InstId>& origin = changed.origin;
  std::vector<InstPosition> repeats = candidate.repeats;
  if (!candidate.moves.empty()) {
    origin = MoveInstructions(*changed.module, candidate.moves);
    std::vector<InstId> now(origin.size());
    for (uint32_t i = 0; i < origin.size(); ++i) now[origin[i].index()] = InstId(i);
    for (InstPosition& each : repeats) each = {now[each.inst.index()], now[each.before.index()]};
  } else {
    for (uint32_t i = 0; i < module.insts.size(); ++i) origin.emplace_back(i);
  }
  // From the end, so that the positions before stay valid.
  std::sort(repeats.begin(), repeats.end(),
            [](const InstPosition& a, const InstPosition& b) { return b.before < a.before; });
  for (const InstPosition& each : repeats) {
    RepeatInstruction(*changed.module, each);
    origin.insert(origin.begin() + each.before.value, InstId());
  }
  if (!IsOrdered(*changed.module)) return std::nullopt;
  Follow(origin, changed.assign);
  return changed;
}

}  // namespace halo
