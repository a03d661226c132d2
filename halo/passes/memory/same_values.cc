// Callees come first, so that what an inner loop leaves unchanged is known to the outer one.
#include "halo/passes/memory/same_values.h"

#include <numeric>

namespace halo {

InstId FirstParameter(const Module& module, CompId comp) {
  if (!comp.valid()) return {};
  const Computation& computation = module.comp(comp);
  for (uint32_t i = 0; i < computation.count; ++i) {
    const InstId id(computation.first + i);
    if (module.inst(id).opcode == Opcode::kParameter && module.inst(id).extra == 0) return id;
  }
  return {};
}

SameValues::SameValues(const Dataflow& flow) : flow_(flow), same_(flow.size()) {
  std::iota(same_.begin(), same_.end(), 0);
  const Module& module = flow.module();
  for (const CompId comp : flow.calls().post_order()) {
    const Computation& computation = module.comp(comp);
    for (uint32_t i = 0; i < computation.count; ++i) {
      const InstId id(computation.first + i);
      if (module.inst(id).opcode == Opcode::kWhile) FindInLoop(id);
      if (module.inst(id).opcode == Opcode::kConditional) FindInBranches(id);
    }
  }
  for (uint32_t i = 0; i < same_.size(); ++i) same_[i] = Find(FlowId(i));
}

uint32_t SameValues::Find(FlowId value) {
  uint32_t at = value.value;
  while (same_[at] != at) {
    same_[at] = same_[same_[at]];
    at = same_[at];
  }
  return at;
}

void SameValues::Join(FlowId name, uint32_t value) {
  if (name.valid()) same_[Find(name)] = value;
}

void SameValues::FindInLoop(InstId loop) {
  const Module& module = flow_.module();
  std::vector<CompId> called;
  CalledComputations(module, module.inst(loop), called);
  if (called.size() != 2 || module.inst(loop).operand_count != 1) return;
  const InstId in_body = FirstParameter(module, called[0]);
  const InstId in_condition = FirstParameter(module, called[1]);
  const InstId init = module.operands_of(module.inst(loop))[0];
  const InstId root = module.comp(called[0]).root;
  if (!in_body.valid() || !in_condition.valid()) return;
  for (uint32_t node = 0; node < flow_.trees().count(module.inst(loop).shape); ++node) {
    const FlowId first = flow_.at(init, node), returned = flow_.at(root, node);
    const FlowId carried = flow_.at(in_body, node);
    if (!first.valid() || !returned.valid() || !carried.valid()) continue;
    const uint32_t value = Find(first);
    if (Find(returned) != value && Find(returned) != Find(carried)) continue;
    Join(carried, value);
    Join(flow_.at(in_condition, node), value);
    Join(flow_.at(loop, node), value);
  }
}

void SameValues::FindInBranches(InstId conditional) {
  const Module& module = flow_.module();
  std::vector<CompId> branches;
  module.CalledBy(module.inst(conditional), branches);
  for (uint32_t node = 0; node < flow_.trees().count(module.inst(conditional).shape); ++node) {
    FlowId common;
    bool same = true;
    for (const CompId branch : branches) {
      const FlowId returned = flow_.at(module.comp(branch).root, node);
      if (!returned.valid() || (common.valid() && Find(returned) != Find(common))) same = false;
      common = returned;
    }
    if (same && common.valid()) Join(flow_.at(conditional, node), Find(common));
  }
}

}  // namespace halo
