// How values flow through each opcode: which positions of its result take their values from which
// positions of its operands or of the computations it runs.
#include <algorithm>

#include "halo/analysis/dataflow/dataflow_builder.h"
#include "halo/ir/op_properties.h"

namespace halo {

Dataflow::Builder::PositionRange Dataflow::Builder::Part(
    InstId id, std::initializer_list<int64_t> index) const {
  if (!id.valid()) return {};
  const ShapeId shape = module_.inst(id).shape;
  const auto node = trees_.NodeAt(shape, index);
  if (!node) return {};
  return {flow_.begins_[id.index()] + *node, trees_.count(trees_.shape_at(shape, *node))};
}

CompId Dataflow::Builder::CalledAs(const Inst& inst, AttrKey key) const {
  const Attr* attr = module_.Find(inst, key);
  return attr == nullptr ? CompId() : CompId(attr->value);
}

void Dataflow::Builder::BranchesOf(const Inst& conditional, std::vector<CompId>& branches) const {
  branches.clear();
  module_.CalledBy(conditional, branches);
}

std::vector<InstId> Dataflow::Builder::BoundOperands(InstId start, InstId until) const {
  std::vector<InstId> bound;
  InstId link = start;
  while (link.valid()) {
    const Inst& inst = module_.inst(link);
    const std::span<const InstId> operands = module_.operands_of(inst);
    const size_t skip = link == start ? 0 : 1;  // operand 0 of later links is the chain itself
    if (operands.size() > skip) {
      bound.insert(bound.end(), operands.begin() + static_cast<ptrdiff_t>(skip), operands.end());
    }
    if (link == until) break;
    InstId next;
    for (const InstId user : flow_.users_.of(link)) {
      const Opcode opcode = module_.inst(user).opcode;
      if (opcode == Opcode::kAsyncUpdate || opcode == Opcode::kAsyncDone) next = user;
    }
    if (bound.size() > module_.operands.size()) break;
    link = next;
  }
  return bound;
}

bool Dataflow::Builder::Copy(PositionRange to, PositionRange from, bool leaves_only,
                             ShapeId shape) {
  if (to.count != from.count) return false;
  bool changed = false;
  for (uint32_t i = 0; i < to.count; ++i) {
    if (leaves_only && module_.shapes.is_tuple(trees_.shape_at(shape, i))) continue;
    const uint32_t value = flow_.at_[from.begin + i];
    if (flow_.at_[to.begin + i] == value) continue;
    flow_.at_[to.begin + i] = value;
    changed = true;
  }
  return changed;
}

bool Dataflow::Builder::Phi(InstId id, const std::vector<PositionRange>& inputs) {
  const PositionRange to = Whole(id);
  bool changed = false;
  std::vector<uint32_t> arriving;
  for (uint32_t node = 0; node < to.count; ++node) {
    arriving.clear();
    for (const PositionRange& input : inputs) {
      if (input.count != to.count) continue;
      const uint32_t value = flow_.at_[input.begin + node];
      if (value != kNone) arriving.push_back(value);
    }
    if (arriving.empty()) continue;
    uint32_t& at = flow_.at_[to.begin + node];
    const bool defined_here = at != kNone && flow_.values_[at].defined == Position{id, node};
    if (arriving.size() == 1) {
      if (at == arriving[0]) continue;
      if (defined_here) flow_.values_[at].exists = false;
      at = arriving[0];
      changed = true;
    } else if (defined_here && flow_.values_[at].is_phi) {
      if (phis_.SameInputs(at, arriving)) continue;
      phis_.Set(at, arriving);
      changed = true;
    } else {
      DefineAt(id, node, /*is_phi=*/true);
      phis_.Set(flow_.at_[to.begin + node], arriving);
      changed = true;
    }
  }
  return changed;
}

bool Dataflow::Builder::UpdateParameter(InstId id) {
  const Inst& parameter = module_.inst(id);
  if (flow_.calls_.context(parameter.parent) != CallGraph::Context::kControlFlow) return false;
  std::vector<PositionRange> inputs;
  std::vector<CompId> called;
  bool needs_phi = false;
  for (const InstId caller : flow_.calls_.callers(parameter.parent)) {
    const Inst& inst = module_.inst(caller);
    switch (FlowOf(inst.opcode)) {
      case OpFlow::kCall: inputs.push_back(Whole(Operand(inst, parameter.extra))); break;
      case OpFlow::kWhile: {
        inputs.push_back(Whole(Operand(inst, 0)));
        const InstId root = RootOf(CalledAs(inst, AttrKey::k_body));
        if (root != id) inputs.push_back(Whole(root));
        needs_phi = true;
        break;
      }
      case OpFlow::kConditional: {
        BranchesOf(inst, called);
        for (size_t j = 0; j < called.size(); ++j) {
          if (called[j] == parameter.parent) {
            inputs.push_back(Whole(Operand(inst, j + 1)));
            break;
          }
        }
        needs_phi = true;
        break;
      }
      case OpFlow::kAsyncStart: {
        const std::vector<InstId> bound = BoundOperands(caller, InstId());
        if (parameter.extra < bound.size()) inputs.push_back(Whole(bound[parameter.extra]));
        break;
      }
      default: break;
    }
  }
  if (inputs.empty()) return false;
  if (needs_phi || inputs.size() > 1) return Phi(id, inputs);
  return Copy(Whole(id), inputs[0]);
}

bool Dataflow::Builder::UpdateAsync(InstId id) {
  const Inst& inst = module_.inst(id);
  bool changed = false;
  const bool is_done = inst.opcode == Opcode::kAsyncDone;
  if (!is_done) {
    // Element 0 holds the operands bound so far.
    std::vector<InstId> bound;
    if (inst.opcode == Opcode::kAsyncStart) {
      const std::span<const InstId> operands = module_.operands_of(inst);
      bound.assign(operands.begin(), operands.end());
    } else {
      InstId start = id;
      for (size_t i = 0; i < module_.insts.size(); ++i) {
        if (!start.valid() || module_.inst(start).opcode != Opcode::kAsyncUpdate) break;
        start = Operand(module_.inst(start), 0);
      }
      if (start.valid() && module_.inst(start).opcode == Opcode::kAsyncStart) {
        bound = BoundOperands(start, id);
      }
    }
    for (size_t i = 0; i < bound.size(); ++i) {
      if (!bound[i].valid()) continue;
      changed |= Copy(Part(id, {0, static_cast<int64_t>(i)}), Whole(bound[i]),
                      /*leaves_only=*/true, module_.inst(bound[i]).shape);
    }
  }
  const PositionRange result = is_done ? Whole(id) : Part(id, {1});
  const ShapeId result_shape =
      result.count == 0 || is_done
          ? inst.shape
          : trees_.shape_at(inst.shape, result.begin - flow_.begins_[id.index()]);
  const InstId root = RootOf(flow_.async_computation(id));
  const InstId before = Operand(inst, 0);
  const bool before_is_async = before.valid() && RunsItsComputations(module_.inst(before).opcode);
  if (root.valid() && (inst.opcode == Opcode::kAsyncStart || before_is_async)) {
    // An in-place update forwards its operand.
    const bool in_place = inst.opcode == Opcode::kAsyncStart &&
                          module_.inst(root).opcode == Opcode::kDynamicUpdateSlice;
    return Copy(result, in_place ? Whole(before) : Whole(root), /*leaves_only=*/true,
                result_shape) ||
           changed;
  }
  if (inst.opcode == Opcode::kAsyncStart) return changed;
  return Copy(result, Part(before, {1}), /*leaves_only=*/true, result_shape) || changed;
}

bool Dataflow::Builder::UpdateTuple(InstId id) {
  bool changed = false;
  uint32_t node = 1;
  const PositionRange whole = Whole(id);
  for (const InstId operand : module_.operands_of(module_.inst(id))) {
    const PositionRange from = Whole(operand);
    if (node + from.count > whole.count) break;
    changed |= Copy({whole.begin + node, from.count}, from);
    node += from.count;
  }
  return changed;
}

bool Dataflow::Builder::UpdateElements(InstId id) {
  const Inst& inst = module_.inst(id);
  const InstId operand = Operand(inst, 0);
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kElement:
      return Copy(Whole(id), Part(operand, {module_.IntOr(inst.attrs, AttrKey::k_index, -1)}));
    case OpFlow::kCopyStart: return Copy(Part(id, {1}), Whole(operand));
    case OpFlow::kCopyDone: return Copy(Whole(id), Part(operand, {0}));
    case OpFlow::kSend: return Copy(Part(id, {0}), Whole(operand));
    case OpFlow::kRecvDone: return Copy(Part(id, {0}), Part(operand, {0}));
    case OpFlow::kStartedResult:
      return Copy(Whole(id), Part(operand, {1}), /*leaves_only=*/true, inst.shape);
    case OpFlow::kGatherStart:
    case OpFlow::kPermuteStart: {
      const std::span<const InstId> operands = module_.operands_of(inst);
      const bool in_place = FlowOf(inst.opcode) == OpFlow::kPermuteStart &&
                            module_.Find(inst, AttrKey::k_slice_sizes) != nullptr;
      if (operands.size() <= 1 || in_place) {
        if (!operand.valid()) return false;
        return Copy(Part(id, {0}), Whole(operand), /*leaves_only=*/true,
                    module_.inst(operand).shape);
      }
      bool changed = false;
      for (size_t i = 0; i < operands.size(); ++i) {
        changed |= Copy(Part(id, {0, static_cast<int64_t>(i)}), Whole(operands[i]));
      }
      return changed;
    }
    default: return false;
  }
}

bool Dataflow::Builder::Update(InstId id) {
  const Inst& inst = module_.inst(id);
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kForwards:
    case OpFlow::kBitcast:
    case OpFlow::kReduceDone: return Copy(Whole(id), Whole(Operand(inst, 0)));
    case OpFlow::kCopy: {
      PositionRange to = Whole(id), from = Whole(Operand(inst, 0));
      if (to.count != from.count) return false;
      return Copy({to.begin + 1, to.count - 1}, {from.begin + 1, from.count - 1});
    }
    case OpFlow::kTuple: return UpdateTuple(id);
    case OpFlow::kParameter: return UpdateParameter(id);
    case OpFlow::kCall: return Copy(Whole(id), Whole(RootOf(CalledAs(inst, AttrKey::k_to_apply))));
    case OpFlow::kWhile:
      return Phi(id, {Whole(RootOf(CalledAs(inst, AttrKey::k_body))), Whole(Operand(inst, 0))});
    case OpFlow::kConditional: {
      std::vector<CompId> branches;
      BranchesOf(inst, branches);
      std::vector<PositionRange> inputs;
      inputs.reserve(branches.size());
      for (const CompId branch : branches) inputs.push_back(Whole(RootOf(branch)));
      return Phi(id, inputs);
    }
    case OpFlow::kAsyncStart:
    case OpFlow::kAsyncUpdate:
    case OpFlow::kAsyncDone: return UpdateAsync(id);
    default: return UpdateElements(id);
  }
}

}  // namespace halo
