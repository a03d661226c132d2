// The kinds of change take turns, so that a small budget sees the best candidates of every kind.
#include "halo/memory/advise/advise.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "halo/memory/advise/advice_candidates.h"
#include "halo/memory/advise/apply_change.h"
#include "halo/memory/backend/backend_description.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

class Trial {
 public:
  Trial(const BoundAssignment& planned, const AdviseOptions& options)
      : module_(*planned.module()),
        options_(options),
        before_(DeviceBytes(planned.assignment(), options.backend)),
        late_(LateUses(planned, {})) {}

  // Bytes saved; 0 if the change is not legal.
  [[nodiscard]] int64_t Saved(const AdviceCandidate& candidate) const {
    std::optional<ChangedProgram> changed = ApplyChange(module_, candidate, options_.assign);
    if (!changed) return 0;
    // Uses show whether a changed order is legal; nothing else needs them.
    changed->assign.with_uses = changed->module.has_value();
    const Module& module = changed->module ? *changed->module : module_;
    Result<PlannedMemory> after = PlanMemory(module, changed->assign);
    if (!after.ok()) return 0;
    const int64_t saved = before_ - DeviceBytes(after->assignment, options_.backend);
    if (saved <= 0 || !changed->module) return saved;
    const BoundAssignment bound(after->assignment, &module, std::move(after->ids));
    return AddsLateUses(bound, changed->origin) ? 0 : saved;
  }

  // True if a value would be read after another one has been written to its memory.
  [[nodiscard]] bool AddsLateUses(const BoundAssignment& bound,
                                  const std::vector<InstId>& origin) const {
    const std::set<LateUse> now = LateUses(bound, origin);
    return !std::includes(late_.begin(), late_.end(), now.begin(), now.end());
  }

 private:
  const Module& module_;
  const AdviseOptions& options_;
  int64_t before_;
  std::set<LateUse> late_;
};

}  // namespace

namespace {
constexpr std::array<std::string_view, 5> kAdviceTexts = {"donate", "move", "recompute", "narrow",
                                                          "unpad"};
}  // namespace

std::string_view AdviceKindText(AdviceKind kind) { return kAdviceTexts[static_cast<size_t>(kind)]; }

std::vector<std::string_view> AdviceKindTexts() {
  return {kAdviceTexts.begin(), kAdviceTexts.end()};
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

Result<ChangedPlan> PlanChange(const BoundAssignment& planned, const MemoryExplanation& peak,
                               const AdviseOptions& options, const ProgramChange& change) {
  const AdviceCandidates candidates(planned, peak, options.assign);
  const Result<AdviceCandidate> candidate = candidates.Named(change);
  if (!candidate.ok()) return candidate.error();
  std::optional<ChangedProgram> changed =
      ApplyChange(*planned.module(), *candidate, options.assign);
  const auto illegal = [] {
    return MakeBinaryDiagnostic(diag::kCannotExplain, 0,
                                "these changes cannot be made together: an instruction would read "
                                "a value that does not exist yet or no longer");
  };
  if (!changed) return illegal();
  const Module& module = changed->module ? *changed->module : *planned.module();
  Result<PlannedMemory> after = PlanMemory(module, changed->assign);
  if (!after.ok()) return after.error();
  if (changed->module) {
    const BoundAssignment bound(after->assignment, &module, after->ids);
    if (Trial(planned, options).AddsLateUses(bound, changed->origin)) return illegal();
  }
  ChangedPlan result;
  result.plan = std::move(*after);
  result.assign = std::move(changed->assign);
  result.module = std::move(changed->module);
  return result;
}

}  // namespace halo
