// Plans the changed program under the same rules as the plan that the advice is about.
#include "halo/api/memory/advised_plan.h"

#include <utility>

#include "halo/memory/advise/advice_change.h"
#include "halo/memory/backend/backend_description.h"
#include "halo/memory/explain/origins.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

bool CannotAdvise(std::string_view why, MemoryResult& result) {
  result.diagnostics.Add(MakeBinaryDiagnostic(diag::kCannotExplain, 0, std::string(why)));
  return false;
}

}  // namespace

bool ShowAdvisedPlan(const MemoryRequest& request, const Module* module,
                     const PlannedMemory* planned, const AssignOptions& options,
                     MemoryResult& result) {
  if (module == nullptr || planned == nullptr || *request.apply_advice >= result.advice.size()) {
    return CannotAdvise("there is no advice of this number", result);
  }
  const Advice& advice = result.advice[*request.apply_advice];
  const std::optional<ChangedProgram> changed = ApplyChange(*module, advice.change, options);
  if (!changed) return CannotAdvise("this advice cannot be followed", result);
  const Module& after = changed->module ? *changed->module : *module;
  Result<PlannedMemory> made = PlanMemory(after, changed->assign);
  if (!made.ok()) {
    result.diagnostics.Add(made.error());
    return false;
  }
  result.bytes_before = DeviceBytes(planned->assignment, result.backend);
  result.assumptions.push_back(advice.what);
  result.is_planned = true;
  result.assignment = std::move(made->assignment);
  // Only the ids of the module that was given mean anything to the caller.
  result.ids.reset();
  if (&after == result.inputs.module) result.ids = made->ids;
  const BoundAssignment bound(result.assignment, &after, std::move(made->ids));
  Result<MemoryExplanation> explained =
      ExplainMemory(bound, Origins(bound), result.backend, request.explain);
  if (!explained.ok()) {
    result.diagnostics.Add(explained.error());
    return false;
  }
  result.explanation = std::move(*explained);
  return true;
}

}  // namespace halo
