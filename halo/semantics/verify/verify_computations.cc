// Computations: parameters are numbered from 0, no fusion calls the entry, there is no recursion,
// and callers are on the same execution thread.
#include <vector>

#include "halo/ir/frontend_attributes.h"
#include "halo/semantics/facts/async_chain.h"
#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

void VerifyParameters(ModuleContext& context, CompId id) {
  const Computation& comp = context.module().comp(id);
  if (!comp.defined || context.facts().comp(id).parameters_ok) return;
  const auto& parameters = context.facts().comp(id).parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].valid()) continue;
    context.Report(Rule::kParameterNumbers, id, "computation ", context.CompName(id),
                   " has no parameter ", i);
    return;
  }
  context.Report(Rule::kParameterNumbers, id, "computation ", context.CompName(id),
                 " numbers a parameter twice or beyond its parameters");
}

// Reports a computation that can call itself, or that calls such a one: repeatedly removes
// computations that call no remaining one.
void VerifyNoRecursion(ModuleContext& context) {
  const Module& module = context.module();
  std::vector<uint32_t> calls(module.comps.size());
  for (size_t c = 0; c < module.comps.size(); ++c) {
    for (const InstId caller : context.facts().callers(CompId(c))) {
      ++calls[module.inst(caller).parent.index()];
    }
  }
  std::vector<CompId> ready;
  size_t done = 0;
  for (size_t c = 0; c < calls.size(); ++c) {
    if (calls[c] == 0) ready.emplace_back(c);
  }
  while (!ready.empty()) {
    const CompId comp = ready.back();
    ready.pop_back();
    ++done;
    for (const InstId caller : context.facts().callers(comp)) {
      const CompId parent = module.inst(caller).parent;
      if (--calls[parent.index()] == 0) ready.push_back(parent);
    }
  }
  if (done == module.comps.size()) return;
  for (size_t c = 0; c < calls.size(); ++c) {
    if (calls[c] == 0) continue;
    context.Report(Rule::kRecursion, CompId(c), "computation ", context.CompName(CompId(c)),
                   " calls itself, directly or through others, or calls one that does");
    return;
  }
}

// These run on their caller's thread; calls and custom calls may run elsewhere.
bool StaysOnThread(Opcode opcode) {
  return opcode == Opcode::kFusion || opcode == Opcode::kWhile || opcode == Opcode::kConditional;
}

void VerifyThreads(ModuleContext& context, CompId id) {
  const Module& module = context.module();
  for (const InstId caller : context.facts().callers(id)) {
    const Inst& inst = module.inst(caller);
    if (!StaysOnThread(inst.opcode)) continue;
    const std::string_view mine = ThreadOf(module, inst.parent);
    const std::string_view its = ThreadOf(module, id);
    if (mine == its) continue;
    context.Report(Rule::kExecutionThread, caller, "runs on ", mine, ", computation ",
                   context.CompName(id), " on ", its);
  }
}

// A computation that is applied to elements is compiled into a loop; one that is called is compiled
// separately.
bool IsCall(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional ||
         opcode == Opcode::kAsyncStart;
}

void VerifyContext(ModuleContext& context, CompId id) {
  const Module& module = context.module();
  const CompFacts& facts = context.facts().comp(id);
  if (!facts.is_applied && !facts.is_fused) return;
  for (const InstId caller : context.facts().callers(id)) {
    const CompFacts& parent = context.facts().comp(module.inst(caller).parent);
    if (!IsCall(module.inst(caller).opcode) || parent.is_applied || parent.is_fused) continue;
    context.Report(Rule::kCallContext, caller, "calls computation ", context.CompName(id),
                   ", which is also applied to elements");
    return;
  }
}

// A composite names the operation it represents in its frontend attributes.
void VerifyComposite(ModuleContext& context, InstId id, const Inst& inst) {
  const Module& module = context.module();
  if (!module.BoolOr(inst.attrs, AttrKey::k_is_composite, false)) return;
  const auto name = FrontendAttribute(module, inst.attrs, "composite.name");
  if (!name || name->empty()) {
    context.Report(Rule::kCompositeName, id, "is_composite=true without composite.name");
  }
}

}  // namespace

void VerifyComputations(ModuleContext& context) {
  const Module& module = context.module();
  for (size_t c = 0; c < module.comps.size(); ++c) {
    VerifyParameters(context, CompId(c));
    if (!context.facts().reachable(CompId(c))) continue;
    VerifyThreads(context, CompId(c));
    VerifyContext(context, CompId(c));
  }
  if (module.entry.index() < module.comps.size() && context.facts().comp(module.entry).is_fused) {
    context.Report(Rule::kEntryFused, module.entry, "a fusion calls the entry computation");
  }
  VerifyNoRecursion(context);
  context.ForEachInst([&](InstId id, const Inst& inst) {
    if (inst.opcode != Opcode::kCall) return;
    VerifyComposite(context, id, inst);
    if (module.Find(inst, AttrKey::k_output_to_operand_aliasing) != nullptr) {
      context.Report(Rule::kCallAliasing, id, "a call does not share buffers with its operands");
    }
  });
}

}  // namespace halo
