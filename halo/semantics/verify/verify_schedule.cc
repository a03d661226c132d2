// In a scheduled module, text order is execution order: an instruction comes after its operands and
// its control predecessors. There is no schedule inside fusions.
#include "halo/semantics/verify/module_rules.h"

namespace halo {

void VerifySchedule(ModuleContext& context) {
  const Module& module = context.module();
  if (!module.is_scheduled()) return;
  context.ForEachInst([&](InstId id, const Inst& inst) {
    if (inst.parent.index() >= module.comps.size() || context.facts().comp(inst.parent).is_fused) {
      return;
    }
    for (const InstId operand : module.operands_of(inst)) {
      if (operand < id) continue;
      context.Report(Rule::kScheduleOrder, id, "is scheduled before its operand ",
                     context.NameOf(operand));
      return;
    }
    for (const int64_t each : module.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
      const InstId before(static_cast<uint32_t>(each));
      if (before < id || before.index() >= module.insts.size()) continue;
      context.Report(Rule::kScheduleOrder, id, "is scheduled before its control predecessor ",
                     context.NameOf(before));
      return;
    }
  });
}

}  // namespace halo
