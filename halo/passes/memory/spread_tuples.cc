// Forwarding comes first and its result is laid out, so that use counts are those that remain.
#include "halo/passes/memory/spread_tuples.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "halo/analysis/graph/call_graph.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

bool IsIdentity(const Module& module, const Inst& inst) {
  if (inst.operand_count != 1) return false;
  if (inst.opcode == Opcode::kOptimizationBarrier) return true;
  return inst.opcode == Opcode::kCopy &&
         module.inst(module.operands_of(inst)[0]).shape == inst.shape;
}

Module ForwardElements(Module module) {
  ModuleEditor edit(std::move(module));
  const size_t count = edit.module().insts.size();
  for (uint32_t i = 0; i < count; ++i) {
    const InstId id(i);
    const Inst& inst = edit.inst(id);
    if (IsIdentity(edit.module(), inst)) {
      edit.Replace(id, edit.operand(id, 0));
      continue;
    }
    if (inst.opcode != Opcode::kGetTupleElement) continue;
    const InstId from = edit.operand(id, 0);
    if (edit.inst(from).opcode != Opcode::kTuple) continue;
    const int64_t index = edit.module().IntOr(inst.attrs, AttrKey::k_index, -1);
    if (index < 0 || index >= edit.inst(from).operand_count) continue;
    edit.Replace(id, edit.operand(from, static_cast<size_t>(index)));
  }
  return edit.Finish();
}

class Spreader {
 public:
  explicit Spreader(Module module) : edit_(std::move(module)) {}

  Module Run() {
    const Module& module = edit_.module();
    const CallGraph calls(module);
    uses_.assign(module.insts.size(), 0);
    for (const InstId operand : module.operands) ++uses_[operand.index()];
    for (const Computation& comp : module.comps) {
      if (comp.root.valid()) ++uses_[comp.root.index()];
    }
    const size_t comps = module.comps.size();
    for (uint32_t i = 0; i < comps; ++i) {
      const CompId comp(i);
      const CallGraph::Context context = calls.context(comp);
      if (context == CallGraph::Context::kEmbedded || context == CallGraph::Context::kUnreached) {
        continue;
      }
      if (IsAsync(calls, comp)) continue;
      SpreadOperands(comp);
      const InstId root = edit_.module().comp(comp).root;
      const InstId own = Own(root, comp, EndOf(comp));
      if (own != root) edit_.SetRoot(comp, own);
    }
    return edit_.Finish();
  }

 private:
  // An async computation is one op and stays that.
  [[nodiscard]] bool IsAsync(const CallGraph& calls, CompId comp) const {
    return std::ranges::any_of(calls.callers(comp), [&](InstId caller) {
      return edit_.inst(caller).opcode == Opcode::kAsyncStart;
    });
  }
  [[nodiscard]] uint32_t EndOf(CompId comp) const {
    return edit_.module().comp(comp).first + edit_.module().comp(comp).count;
  }

  void SpreadOperands(CompId comp) {
    for (uint32_t i = edit_.module().comp(comp).first; i < EndOf(comp); ++i) {
      const InstId id(i);
      const Opcode opcode = edit_.inst(id).opcode;
      if (opcode != Opcode::kWhile && opcode != Opcode::kConditional && opcode != Opcode::kCall) {
        continue;
      }
      for (size_t k = 0; k < edit_.inst(id).operand_count; ++k) {
        const InstId operand = edit_.operand(id, k);
        const InstId own = Own(operand, comp, i);
        if (own != operand) edit_.SetOperand(id, k, own);
      }
    }
  }

  // Returns a tuple right before `position`: the given one if it is there and has no other user.
  InstId Own(InstId tuple, CompId comp, uint32_t position) {
    if (!edit_.module().shapes.is_tuple(edit_.inst(tuple).shape)) return tuple;
    const bool is_tuple = edit_.inst(tuple).opcode == Opcode::kTuple;
    const bool is_own = is_tuple && uses_[tuple.index()] == 1 && tuple.value + 1 == position;
    const ShapeId shape = edit_.inst(tuple).shape;
    const size_t count = edit_.module().shapes.elements(shape).size();
    std::vector<InstId> elements(count);
    bool changed = !is_own;
    for (size_t i = 0; i < count; ++i) {
      const InstId element = is_tuple
                                 ? edit_.operand(tuple, i)
                                 : edit_.AddElement(comp, tuple, static_cast<int64_t>(i), tuple);
      if (element.index() >= uses_.size()) uses_.resize(element.index() + 1, 0);
      elements[i] = Own(element, comp, tuple.value);
      changed |= elements[i] != element;
    }
    return changed ? edit_.AddTuple(comp, elements, tuple) : tuple;
  }

  ModuleEditor edit_;
  std::vector<uint32_t> uses_;
};

}  // namespace

Module SpreadTuples(Module module) { return Spreader(ForwardElements(std::move(module))).Run(); }

}  // namespace halo
