// Runs the groups of rules over a module. Async instructions in their short form are expanded in a
// copy first, so that rules see one form only.
#include "halo/semantics/verify/verify.h"

#include "halo/ir/async_sugar.h"
#include "halo/semantics/facts/module_facts.h"
#include "halo/semantics/shape_rules/shape_rules.h"
#include "halo/semantics/verify/module_rules.h"
#include "halo/semantics/verify/verify_source.h"

namespace halo {
namespace {

void VerifyExpanded(const Module& module, const VerifyOptions& options, RuleFindings& findings) {
  const ModuleFacts facts(module);
  ModuleContext context(module, facts, findings);
  for (size_t i = 0; i < module.insts.size(); ++i) {
    if (!facts.operands_ok(InstId(i)) || !facts.reachable(module.insts[i].parent)) continue;
    RuleContext op(module, facts, InstId(i), findings);
    CheckShapeOf(op, options.warnings);
  }
  VerifyOperands(context);
  VerifyComputations(context);
  VerifySchedule(context);
  VerifyFusions(context);
  VerifyAsyncPairs(context);
  VerifyChannels(context);
  VerifyAliasing(context);
  VerifyOperandAliasing(context);
  VerifyLayouts(context);
  VerifyEntryLayout(context);
  VerifyShardings(context);
  VerifyCustomCalls(context);
  if (options.warnings) FindSuspicious(context);
}

// Findings inside a wrapper that the text does not show are moved to the instruction that calls it.
void MoveToCallers(const Module& module, const Module& expanded, RuleFindings& findings) {
  const ModuleFacts facts(expanded);
  findings.ForEach([&](RuleFinding& finding) {
    if (!finding.comp.valid() || finding.comp.index() < module.comps.size()) return;
    const auto callers = facts.callers(finding.comp);
    finding.inst = callers.empty() ? InstId() : callers.front();
    finding.comp = callers.empty() ? CompId() : expanded.inst(callers.front()).parent;
  });
}

}  // namespace

RuleFindings Verify(const Module& module, const VerifyOptions& options) {
  RuleFindings findings(options.max_findings);
  VerifyAttributes(module, findings);
  VerifyDefinitionOrder(module, findings);
  if (HasAsyncSugar(module)) {
    Module expanded = module;
    ExpandAsyncSugar(expanded);
    VerifyExpanded(expanded, options, findings);
    MoveToCallers(module, expanded, findings);
  } else {
    VerifyExpanded(module, options, findings);
  }
  findings.Sort();
  return findings;
}

}  // namespace halo
