// Computes post orders. For instructions: starts at unused ones, visits operands in order, control
// predecessors before operands. For computations: starts at those that are never called.
#include <algorithm>

#include "halo/ir/reorder.h"
#include "halo/text/canonical/canonical.h"

namespace halo {
namespace {

// The computation's instructions in post order, as offsets from the first.
std::vector<uint32_t> PostOrder(const Module& module, const Computation& comp) {
  const uint32_t first = comp.first;
  const auto mine = [&](InstId id) {
    return id.valid() && id.value >= first && id.value < first + comp.count;
  };
  std::vector<bool> used(comp.count);
  for (uint32_t i = 0; i < comp.count; ++i) {
    for (const InstId operand : module.operands_of(module.insts[first + i])) {
      if (mine(operand)) used[operand.value - first] = true;
    }
  }
  enum : uint8_t { kNew, kVisiting, kVisited };
  std::vector<uint8_t> state(comp.count, kNew);
  std::vector<uint32_t> order;
  order.reserve(comp.count);
  std::vector<uint32_t> stack;
  const auto push = [&](InstId id) {
    if (mine(id) && state[id.value - first] != kVisited) stack.push_back(id.value - first);
  };
  for (uint32_t start = 0; start < comp.count; ++start) {
    if (used[start]) continue;
    push(InstId(first + start));
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      if (state[at] != kNew) {
        stack.pop_back();
        if (state[at] == kVisiting) {
          state[at] = kVisited;
          order.push_back(at);
        }
        continue;
      }
      state[at] = kVisiting;
      const Inst& inst = module.insts[first + at];
      const std::span<const InstId> operands = module.operands_of(inst);
      for (size_t i = operands.size(); i-- > 0;) push(operands[i]);
      for (const int64_t pred : module.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
        push(InstId(static_cast<uint32_t>(pred)));
      }
    }
  }
  // Instructions on a cycle are left over; they follow at the end in their old order.
  if (order.size() != comp.count) {
    for (uint32_t i = 0; i < comp.count; ++i) {
      if (state[i] != kVisited) order.push_back(i);
    }
  }
  return order;
}

}  // namespace

void OrderInstructions(Module& module) {
  if (module.is_scheduled()) return;
  std::vector<InstId> whole(module.insts.size());
  for (uint32_t i = 0; i < whole.size(); ++i) whole[i] = InstId(i);
  for (const CompId id : module.order) {
    const Computation& comp = module.comp(id);
    const std::vector<uint32_t> order = PostOrder(module, comp);
    for (uint32_t at = 0; at < order.size(); ++at) {
      whole[comp.first + at] = InstId(comp.first + order[at]);
    }
  }
  ReorderInstructions(module, whole);
}

void OrderComputations(Module& module) {
  std::vector<bool> called(module.comps.size());
  std::vector<CompId> targets;
  for (const Inst& inst : module.insts) {
    targets.clear();
    module.CalledBy(inst, targets);
    for (const CompId target : targets) called[target.index()] = true;
  }
  // Visits called computations in the order of their callers in the text. Each callee list is
  // pushed as a whole and popped first to last, as in XLA's traversal.
  std::vector<CompId> order;
  std::vector<bool> added(module.comps.size());
  for (const CompId root : module.order) {
    if (called[root.index()]) continue;
    std::vector<bool> visited(module.comps.size());
    struct Frame {
      CompId comp;
      size_t next;
    };
    std::vector<Frame> stack = {{root, 0}};
    while (!stack.empty()) {
      const size_t top = stack.size() - 1;
      const CompId at = stack[top].comp;
      const Computation& comp = module.comp(at);
      if (stack[top].next == comp.count) {
        stack.pop_back();
        if (!added[at.index()]) {
          added[at.index()] = true;
          order.push_back(at);
        }
        continue;
      }
      const Inst& inst = module.insts[comp.first + stack[top].next++];
      targets.clear();
      module.CalledBy(inst, targets);
      // XLA orders a loop's body before its condition.
      if (inst.opcode == Opcode::kWhile) std::reverse(targets.begin(), targets.end());
      for (size_t i = targets.size(); i-- > 0;) {
        if (visited[targets[i].index()] || !module.comp(targets[i]).defined) continue;
        visited[targets[i].index()] = true;
        stack.push_back({targets[i], 0});
      }
    }
  }
  for (const CompId id : module.order) {
    if (!added[id.index()]) order.push_back(id);
  }
  std::erase_if(order, [&](CompId id) { return module.comp(id).hidden; });
  module.order = std::move(order);
}

}  // namespace halo
