// What may stand inside a fusion: a computation of its own, whose values are all used, except the
// root, which only the fusion uses.
#include <algorithm>
#include <functional>

#include "halo/semantics/module_rules.h"

namespace halo {
namespace {

bool HasSideEffect(const Module& module, const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectiveBroadcast: return true;
    case Opcode::kAllToAll:
    case Opcode::kRaggedAllToAll:
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
    case Opcode::kAllReduce: return module.Find(inst, AttrKey::k_channel_id) != nullptr;
    case Opcode::kCustomCall:
      return module.BoolOr(inst.attrs, AttrKey::k_custom_call_has_side_effect, false);
    default: return false;
  }
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

// Collectives only look at what their computation is, so they may share one with a fusion.
void VerifyOwnComputation(ModuleContext& context, CompId id) {
  const auto callers = context.facts().callers(id);
  const auto is_collective = [&](InstId caller) {
    return HasTrait(context.module().inst(caller).opcode, kCollective);
  };
  if (std::ranges::count_if(callers, std::not_fn(is_collective)) <= 1) return;
  context.Report(Rule::kFusionShared, callers.back(), "computation ", context.CompName(id),
                 " is also called by ", context.NameOf(callers.front()));
}

void VerifyKind(ModuleContext& context, InstId id, const Inst& inst) {
  const std::string_view kind = context.module().TextOr(inst.attrs, AttrKey::k_kind);
  if (kind.empty() || kind == "kLoop" || kind == "kInput" || kind == "kOutput" ||
      kind == "kCustom") {
    return;
  }
  context.Report(Rule::kFusionKind, id, "kind=", kind);
}

}  // namespace

void VerifyFusions(ModuleContext& context) {
  const Module& module = context.module();
  for (size_t c = 0; c < module.comps.size(); ++c) {
    const CompId id(c);
    if (!context.facts().comp(id).is_fused || !context.facts().usable(id)) continue;
    VerifyOwnComputation(context, id);
    VerifyBody(context, id);
  }
  context.ForEachInst([&](InstId id, const Inst& inst) {
    if (inst.opcode == Opcode::kFusion) VerifyKind(context, id, inst);
  });
}

}  // namespace halo
