// The kinds of change take turns, so that a small budget sees the best candidates of every kind.
#include "halo/memory/advise/advise.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "halo/memory/advise/advice_candidates.h"
#include "halo/memory/advise/donation.h"
#include "halo/memory/backend/backend_description.h"

namespace halo {
namespace {

using LateUse = std::tuple<InstId, uint32_t, InstId>;  // a value's definition, its user

// Uses that come after the end of the value's live range. Some are due to how XLA counts. A use
// that a changed order adds means that another value of the buffer has been written by then.
// `origin` gives the ids that instructions had before the change; empty if nothing changed.
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

class Trial {
 public:
  Trial(const BoundAssignment& planned, const AdviseOptions& options)
      : module_(*planned.module()),
        options_(options),
        before_(DeviceBytes(planned.assignment(), options.backend)),
        late_(LateUses(planned, {})) {}

  // Bytes saved; 0 if the change is not legal.
  [[nodiscard]] int64_t Saved(const AdviceCandidate& candidate) const {
    AssignOptions assign = options_.assign;
    assign.with_uses = false;
    if (!candidate.donations.empty()) {
      if (!assign.aliases) assign.aliases = AliasesOf(module_);
      assign.aliases->insert(assign.aliases->end(), candidate.donations.begin(),
                             candidate.donations.end());
    }
    assign.resized.insert(assign.resized.end(), candidate.resized.begin(), candidate.resized.end());
    if (candidate.moves.empty() && candidate.repeats.empty()) return Saved(module_, assign, {});
    Module changed = module_;
    std::vector<InstId> origin;
    if (!candidate.moves.empty()) {
      origin = MoveInstructions(changed, candidate.moves);
    } else {
      for (uint32_t i = 0; i < module_.insts.size(); ++i) origin.emplace_back(i);
    }
    // From the end, so that the positions before stay valid.
    std::vector<InstPosition> repeats = candidate.repeats;
    std::sort(repeats.begin(), repeats.end(),
              [](const InstPosition& a, const InstPosition& b) { return b.before < a.before; });
    for (const InstPosition& each : repeats) {
      RepeatInstruction(changed, each);
      origin.insert(origin.begin() + each.before.value, InstId());
    }
    if (!IsOrdered(changed)) return 0;
    Follow(origin, assign);
    assign.with_uses = true;
    return Saved(changed, assign, origin);
  }

 private:
  // The options name instructions by their ids before the change.
  static void Follow(const std::vector<InstId>& origin, AssignOptions& assign) {
    std::vector<InstId> now(origin.size());
    for (uint32_t i = 0; i < origin.size(); ++i) {
      if (origin[i].valid()) now[origin[i].index()] = InstId(i);
    }
    for (ResizedValue& each : assign.resized) each.inst = now[each.inst.index()];
    for (PresetColor& preset : assign.presets) {
      for (PresetValue& each : preset.values) each.inst = now[each.inst.index()];
    }
  }

  // `origin` as in LateUses; empty if the module is unchanged.
  [[nodiscard]] int64_t Saved(const Module& module, const AssignOptions& assign,
                              const std::vector<InstId>& origin) const {
    Result<PlannedMemory> after = PlanMemory(module, assign);
    if (!after.ok()) return 0;
    const int64_t saved = before_ - DeviceBytes(after->assignment, options_.backend);
    if (saved <= 0 || origin.empty()) return saved;
    const BoundAssignment bound(after->assignment, &module, std::move(after->ids));
    for (const LateUse& late : LateUses(bound, origin)) {
      if (!late_.contains(late)) return 0;
    }
    return saved;
  }

  const Module& module_;
  const AdviseOptions& options_;
  int64_t before_;
  std::set<LateUse> late_;
};

}  // namespace

std::string_view AdviceKindText(AdviceKind kind) {
  static constexpr std::array<std::string_view, 5> kTexts = {"donate", "move", "recompute",
                                                             "narrow", "unpad"};
  return kTexts[static_cast<size_t>(kind)];
}

int64_t QuickPlans(const Module& module) {
  constexpr size_t kInstructions = 150'000;  // planned in about a tenth of a second
  return static_cast<int64_t>(
      std::clamp<size_t>(kInstructions / std::max<size_t>(module.insts.size(), 1), 0, 24));
}

std::vector<Advice> Advise(const BoundAssignment& planned, const MemoryExplanation& peak,
                           const AdviseOptions& options) {
  std::vector<Advice> found;
  if (options.plans <= 0 || planned.module() == nullptr) return found;
  const AdviceCandidates candidates(planned, peak, options.assign);
  constexpr int64_t kThorough = 100;
  std::vector<std::vector<AdviceCandidate>> lists = candidates.Find(options.plans >= kThorough);
  const Trial trial(planned, options);
  int64_t left = options.plans;
  for (size_t round = 0; left > 0; ++round) {
    bool any = false;
    for (std::vector<AdviceCandidate>& list : lists) {
      if (round >= list.size() || left-- <= 0) continue;
      any = true;
      const int64_t saved = trial.Saved(list[round]);
      if (saved <= 0) continue;
      list[round].advice.bytes_saved = saved;
      found.push_back(std::move(list[round].advice));
    }
    if (!any) break;
  }
  std::sort(found.begin(), found.end(), [](const Advice& a, const Advice& b) {
    return std::tie(b.bytes_saved, a.what) < std::tie(a.bytes_saved, b.what);
  });
  return found;
}

}  // namespace halo
