// Operands and control predecessors must belong to the instruction's own computation, and no
// instruction may wait for itself.
#include <vector>

#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

// Collects what `id` waits for: its operands, then its control predecessors.
void AddPredecessors(const Module& module, InstId id, std::vector<InstId>& out) {
  const Inst& inst = module.inst(id);
  for (const InstId operand : module.operands_of(inst)) {
    if (operand.index() < module.insts.size()) out.push_back(operand);
  }
  for (const int64_t predecessor : module.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
    const InstId before(static_cast<uint32_t>(predecessor));
    if (before.index() < module.insts.size()) out.push_back(before);
  }
}

void VerifyParents(ModuleContext& context) {
  const Module& module = context.module();
  std::vector<InstId> before;
  for (size_t i = 0; i < module.insts.size(); ++i) {
    before.clear();
    AddPredecessors(module, InstId(i), before);
    for (const InstId each : before) {
      if (module.inst(each).parent == module.insts[i].parent) continue;
      context.Report(Rule::kOperandElsewhere, InstId(i), "waits for ", context.NameOf(each),
                     " of computation ", context.CompName(module.inst(each).parent));
      break;
    }
  }
}

// Reports instructions that no order can run: repeatedly removes those that can run.
void VerifyNoCycle(ModuleContext& context) {
  const Module& module = context.module();
  const size_t count = module.insts.size();
  std::vector<uint32_t> waits(count);
  std::vector<uint32_t> begins(count + 1);
  std::vector<InstId> before;
  bool forward = false;
  for (size_t i = 0; i < count; ++i) {
    before.clear();
    AddPredecessors(module, InstId(i), before);
    waits[i] = static_cast<uint32_t>(before.size());
    for (const InstId each : before) {
      ++begins[each.index()];
      forward = forward || each.index() >= i;
    }
  }
  // Text order is a valid execution order unless something refers forward.
  if (!forward) return;
  uint32_t total = 0;
  for (uint32_t& begin : begins) {
    const uint32_t here = begin;
    begin = total;
    total += here;
  }
  std::vector<InstId> after(total);
  std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
  for (size_t i = 0; i < count; ++i) {
    before.clear();
    AddPredecessors(module, InstId(i), before);
    for (const InstId each : before) after[next[each.index()]++] = InstId(i);
  }
  std::vector<InstId> ready;
  size_t done = 0;
  for (size_t i = 0; i < count; ++i) {
    if (waits[i] == 0) ready.emplace_back(i);
  }
  while (!ready.empty()) {
    const InstId id = ready.back();
    ready.pop_back();
    ++done;
    for (uint32_t k = begins[id.index()]; k < begins[id.index() + 1]; ++k) {
      if (--waits[after[k].index()] == 0) ready.push_back(after[k]);
    }
  }
  if (done == count) return;
  for (size_t i = 0; i < count; ++i) {
    if (waits[i] == 0) continue;
    context.Report(Rule::kInstructionCycle, InstId(i),
                   "is in a cycle, or waits for one, of operands "
                   "and control predecessors");
    return;
  }
}

}  // namespace

void VerifyOperands(ModuleContext& context) {
  VerifyParents(context);
  VerifyNoCycle(context);
}

}  // namespace halo
