// What may stand inside a fusion: a computation of its own, whose values are all used, except the
// root, which only the fusion uses.
#include <algorithm>

#include "halo/ir/op_properties.h"
#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

bool HasSideEffect(const Module& module, const Inst& inst) {
  switch (PropertiesOf(inst.opcode).effect) {
    case OpEffect::kAlways:
    case OpEffect::kGroup: return true;
    case OpEffect::kGroupWithChannel: return module.Find(inst, AttrKey::k_channel_id) != nullptr;
    case OpEffect::kStated:
      return module.BoolOr(inst.attrs, AttrKey::k_custom_call_has_side_effect, false);
    case OpEffect::kNone:
    case OpEffect::kGroupUnlessFused:
    case OpEffect::kUnknown: return false;
  }
  return false;
}

void VerifyBody(ModuleContext& context, CompId id) {
  const Module& module = context.module();
  const Computation& comp = module.comp(id);
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    const InstId inst(i);
    const bool used = !context.facts().users(inst).empty();
    if (inst == comp.root) {
      if (used) {
        context.Report(Rule::kFusionRoot, inst, "the root of a fusion is used inside it");
      }
      continue;
    }
    if (used || HasSideEffect(module, module.inst(inst))) continue;
    context.Report(Rule::kFusionUnused, inst, "nothing in the fusion uses it");
  }
}

// Collectives only look at what their computation does, so they may name a fusion's.
void VerifyOwnComputation(ModuleContext& context, CompId id) {
  const auto callers = context.facts().callers(id);
  const auto others = std::ranges::count_if(callers, [&](InstId caller) {
    return !HasTrait(context.module().inst(caller).opcode, kCollective);
  });
  if (others <= 1) return;
  context.Report(Rule::kFusionShared, callers.back(), "computation ", context.CompName(id),
                 " is also called by ", context.NameOf(callers.front()));
}

}  // namespace

void VerifyFusions(ModuleContext& context) {
  const Module& module = context.module();
  for (size_t c = 0; c < module.comps.size(); ++c) {
    const CompId id(c);
    const CompFacts& facts = context.facts().comp(id);
    if (!facts.is_fused || !facts.usable || !facts.reachable) continue;
    VerifyOwnComputation(context, id);
    VerifyBody(context, id);
  }
}

}  // namespace halo
