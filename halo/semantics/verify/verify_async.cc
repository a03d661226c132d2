// Starts and dones come in pairs: a start has one user, which ends it, and a done has one operand,
// which started it. Async chains may contain updates, and may pass through tuples and loops.
#include <vector>

#include "halo/ir/frontend_attributes.h"
#include "halo/ir/op_properties.h"
#include "halo/semantics/facts/async_chain.h"
#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

bool IsControlDependency(const Module& module, InstId user) {
  return module.inst(user).opcode == Opcode::kCustomCall &&
         module.TextOr(module.inst(user).attrs, AttrKey::k_custom_call_target) == "control_dep";
}

void VerifyStart(ModuleContext& context, InstId id, const Inst& inst) {
  const Module& module = context.module();
  // If it is wrapped in an async computation, the async-done ends it.
  const bool wrapped = (inst.opcode == Opcode::kSend || inst.opcode == Opcode::kRecv) &&
                       module.comp(inst.parent).root == id &&
                       context.facts().comp(inst.parent).is_async;
  if (wrapped) return;
  std::vector<InstId> users;
  for (const InstId user : context.facts().users(id)) {
    if (!IsControlDependency(module, user)) users.push_back(user);
  }
  if (users.size() != 1) {
    context.Report(Rule::kStartUsers, id, TextOf(inst.opcode), " has ", users.size(),
                   " users, not one");
    return;
  }
  const Inst& user = module.inst(users[0]);
  if (user.opcode == PropertiesOf(inst.opcode).partner || PassesAsyncOn(module, user)) return;
  if (user.opcode == Opcode::kUnknown) return;
  context.Report(Rule::kStartUsers, id, TextOf(inst.opcode), " is used by ",
                 module.opcode_text(user), ", not by ", TextOf(PropertiesOf(inst.opcode).partner));
}

void VerifyDone(ModuleContext& context, InstId id, const Inst& inst) {
  const Module& module = context.module();
  if (inst.operand_count != 1) return;
  const Inst& operand = module.inst(module.operands_of(inst)[0]);
  if (operand.opcode == PropertiesOf(inst.opcode).partner || PassesAsyncOn(module, operand)) return;
  if (operand.opcode == Opcode::kUnknown) return;
  context.Report(Rule::kDoneOperand, id, "the operand is ", module.opcode_text(operand), ", not ",
                 TextOf(PropertiesOf(inst.opcode).partner));
}

// Checks which instructions take an async-start or async-update, and as which operand.
void VerifyAsyncUses(ModuleContext& context, InstId id, const Inst& inst) {
  const Module& module = context.module();
  const auto operands = module.operands_of(inst);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!IsAsyncSource(module.inst(operands[i]).opcode)) continue;
    const bool continues = inst.opcode == Opcode::kAsyncUpdate || inst.opcode == Opcode::kAsyncDone;
    if (continues ? i == 0
                  : PassesAsyncOn(module, inst) || inst.opcode == Opcode::kCall ||
                        inst.opcode == Opcode::kConditional || inst.opcode == Opcode::kDomain) {
      continue;
    }
    context.Report(Rule::kAsyncUse, id, module.opcode_text(inst), " takes ",
                   context.NameOf(operands[i]), ", which is still in flight, as operand ", i);
    return;
  }
}

class Chains {
 public:
  explicit Chains(ModuleContext& context)
      : context_(context), ended_by_(context.module().insts.size()) {}

  void Follow(InstId done) {
    const Module& module = context_.module();
    InstId at = done;
    for (size_t steps = 0; steps < module.insts.size(); ++steps) {
      const Inst& inst = module.inst(at);
      if (inst.operand_count == 0) return;
      const InstId source = module.operands_of(inst)[0];
      if (source.index() >= module.insts.size() || !IsAsyncSource(module.inst(source).opcode)) {
        return;
      }
      InstId& ended = ended_by_[source.index()];
      if (ended.valid()) {
        context_.Report(Rule::kAsyncEndedTwice, done, context_.NameOf(source),
                        " is already ended by ", context_.NameOf(ended));
        return;
      }
      ended = done;
      at = source;
      if (module.inst(at).opcode == Opcode::kAsyncStart) return;
    }
  }

  void NeedEnd(InstId async) {
    if (ended_by_[async.index()].valid()) return;
    // A value that is passed on may be ended elsewhere.
    const Module& module = context_.module();
    if (module.comp(module.inst(async).parent).root == async) return;
    for (const InstId user : context_.facts().users(async)) {
      const Inst& inst = module.inst(user);
      if (PassesAsyncOn(module, inst) || inst.opcode == Opcode::kCall ||
          inst.opcode == Opcode::kConditional || inst.opcode == Opcode::kDomain) {
        return;
      }
    }
    context_.Report(Rule::kAsyncUnended, async, "no async-done ends it");
  }

 private:
  ModuleContext& context_;
  std::vector<InstId> ended_by_;
};

// A wrapped computation contains one instruction besides its parameters, unless it is a group.
void VerifyWrapped(ModuleContext& context, CompId id) {
  const Module& module = context.module();
  const Computation& comp = module.comp(id);
  if (!context.facts().usable(id) || ThreadOf(module, id) != "main") return;
  bool barrier = true;
  size_t others = 0;
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    const Opcode opcode = module.insts[i].opcode;
    if (InstId(i) == comp.root || opcode == Opcode::kParameter) continue;
    ++others;
    barrier = barrier && opcode == Opcode::kGetTupleElement;
  }
  if (others == 0 || barrier) return;
  for (const InstId caller : context.facts().callers(id)) {
    if (FrontendAttribute(module, module.inst(caller).attrs, "_collectives_group")) return;
  }
  context.Report(Rule::kAsyncComputation, id, "computation ", context.CompName(id), " holds ",
                 others, " instructions beside its root and parameters");
}

}  // namespace

void VerifyAsyncPairs(ModuleContext& context) {
  Chains chains(context);
  context.ForEachInst([&](InstId id, const Inst& inst) {
    VerifyAsyncUses(context, id, inst);
    if (PropertiesOf(inst.opcode).partner != Opcode::kUnknown) {
      (HasTrait(inst.opcode, kAsyncStart) ? VerifyStart : VerifyDone)(context, id, inst);
    }
    if (inst.opcode == Opcode::kAsyncDone) chains.Follow(id);
  });
  context.ForEachInst([&](InstId id, const Inst& inst) {
    if (IsAsyncSource(inst.opcode)) chains.NeedEnd(id);
  });
  for (size_t c = 0; c < context.module().comps.size(); ++c) {
    if (context.facts().comp(CompId(c)).is_async) VerifyWrapped(context, CompId(c));
  }
}

}  // namespace halo
