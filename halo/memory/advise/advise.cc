// The kinds of change take turns, so that a small budget sees the best candidates of every kind.
#include "halo/memory/advise/advise.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "halo/memory/advise/advice_candidates.h"
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

class Trial {
 public:
  Trial(const BoundAssignment& planned, const AdviseOptions& options)
      : module_(*planned.module()),
        options_(options),
        before_(DeviceBytes(planned.assignment(), options.backend)),
        late_(LateUses(planned, {})) {}

  // Bytes saved; 0 if the change is not legal.
  [[nodiscard]] int64_t Saved(const AdviceChange& change) const {
    AssignOptions assign = options_.assign;
    assign.with_uses = !change.moves.empty() || !change.repeats.empty();
    const std::optional<ChangedProgram> changed = ApplyChange(module_, change, assign);
    if (!changed) return 0;
    return Saved(changed->module ? *changed->module : module_, changed->assign, changed->origin);
  }

 private:
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
      list[round].advice.change = list[round];
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
