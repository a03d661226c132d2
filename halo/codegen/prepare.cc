// A module that came with a schedule keeps it; for others the order that needs least memory wins.
#include "halo/codegen/prepare.h"

#include <optional>
#include <utility>
#include <vector>

#include "halo/ir/reorder.h"
#include "halo/memory/assign.h"
#include "halo/memory/schedule.h"

namespace halo {
namespace {

void MarkScheduled(Module& module) {
  if (module.is_scheduled()) return;
  const std::span<const Attr> stored = module.attrs_of(module.attrs);
  std::vector<Attr> attrs;
  for (const Attr& attr : stored) {
    if (attr.key != AttrKey::k_is_scheduled) attrs.push_back(attr);
  }
  attrs.insert(attrs.begin(), Attr{AttrKey::k_is_scheduled, AttrForm::kPlain, 0, 1});
  module.attrs = module.Attrs(attrs);
}

Result<PreparedModule> Plan(Module module, const AssignOptions& options) {
  MarkScheduled(module);
  Result<Assignment> assignment = AssignBuffers(module, options);
  if (!assignment) return assignment.error();
  return PreparedModule{std::move(module), std::move(*assignment), {}};
}

}  // namespace

Result<PreparedModule> PrepareModule(Module module, const PrepareOptions& options) {
  AssignOptions assign;
  assign.rules = RulesOf(Backend::kCpu);
  assign.with_uses = options.with_uses;
  if (module.is_scheduled()) return Plan(std::move(module), assign);
  std::optional<PreparedModule> best;
  for (const std::vector<InstId>& order : SchedulesForMemory(module, assign.rules)) {
    Module ordered = module;
    ReorderInstructions(ordered, order);
    Result<PreparedModule> planned = Plan(std::move(ordered), assign);
    if (!planned) return planned;
    if (best && planned->assignment.total_bytes >= best->assignment.total_bytes) continue;
    best = std::move(*planned);
  }
  return std::move(*best);
}

}  // namespace halo
