// A depth-first walk with an explicit stack.
#include "halo/analysis/graph/post_order.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace halo {

PostOrder::PostOrder(const Module& module, const Users& users)
    : module_(module), users_(users), states_(module.insts.size(), State::kNew) {}

void PostOrder::Push(InstId inst) {
  if (inst.valid() && states_[inst.index()] != State::kDone) stack_.push_back(inst);
}

void PostOrder::Append(CompId comp, std::vector<InstId>& out) {
  const Computation& computation = module_.comp(comp);
  // XLA starts in the order in which it made the instructions. It makes parameters first and by
  // number; the text of a scheduled computation may list them in any order.
  std::vector<InstId> unused;
  std::vector<InstId> sinks;
  for (uint32_t i = 0; i < computation.count; ++i) {
    const InstId sink(computation.first + i);
    if (!users_.of(sink).empty()) continue;
    const bool is_parameter = module_.inst(sink).opcode == Opcode::kParameter;
    (is_parameter ? unused : sinks).push_back(sink);
  }
  std::sort(unused.begin(), unused.end(), [&](InstId a, InstId b) {
    return std::pair(module_.inst(a).extra, a) < std::pair(module_.inst(b).extra, b);
  });
  for (const InstId sink : unused) AppendFrom(sink, out);
  for (const InstId sink : sinks) AppendFrom(sink, out);
}

void PostOrder::AppendFrom(InstId sink, std::vector<InstId>& out) {
  const CompId comp = module_.inst(sink).parent;
  Push(sink);
  while (!stack_.empty()) {
    const InstId current = stack_.back();
    State& state = states_[current.index()];
    if (state != State::kNew) {
      stack_.pop_back();
      if (state == State::kOpen) out.push_back(current);
      state = State::kDone;
      continue;
    }
    state = State::kOpen;
    const Inst& inst = module_.inst(current);
    const std::span<const InstId> operands = module_.operands_of(inst);
    for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) {
      if (operand->valid() && module_.inst(*operand).parent == comp) Push(*operand);
    }
    for (const int64_t predecessor : module_.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
      const InstId id(static_cast<uint32_t>(predecessor));
      if (id.index() < module_.insts.size() && module_.inst(id).parent == comp) Push(id);
    }
  }
}

std::vector<CompId> ComputationOrder(const Module& module) {
  std::vector<CompId> order;
  std::vector<bool> placed(module.comps.size(), false);
  std::vector<CompId> called;
  const auto position = [&](CompId comp) {
    if (!comp.valid() || comp.index() >= placed.size() || placed[comp.index()]) return;
    placed[comp.index()] = true;
    order.push_back(comp);
  };
  for (const CompId comp : module.order) {
    const Computation& computation = module.comp(comp);
    for (uint32_t i = 0; i < computation.count; ++i) {
      const Inst& inst = module.insts[computation.first + i];
      if ((inst.flags & kInstSugar) == 0) continue;
      called.clear();
      module.CalledBy(inst, called);
      for (const CompId callee : called) {
        if (callee.valid() && module.comp(callee).hidden) position(callee);
      }
    }
    position(comp);
  }
  return order;
}

std::vector<CompId> InGivenOrder(std::vector<CompId> order, std::span<const CompId> given) {
  std::unordered_set<uint32_t> present, moved;
  for (const CompId comp : order) present.insert(comp.value);
  std::vector<CompId> sequence;
  for (const CompId comp : given) {
    if (present.contains(comp.value) && moved.insert(comp.value).second) sequence.push_back(comp);
  }
  size_t next = 0;
  for (CompId& comp : order) {
    if (moved.contains(comp.value)) comp = sequence[next++];
  }
  return order;
}

}  // namespace halo
