// How values flow through each opcode: which positions of its result take their values from which
// positions of its operands or of the computations it runs.
#include <algorithm>
#include <utility>

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

const std::vector<CompId>& Dataflow::Builder::BranchesOf(InstId conditional) {
  if (branches_of_ != conditional) {
    branches_of_ = conditional;
    branches_.clear();
    module_.CalledBy(module_.inst(conditional), branches_);
  }
  return branches_;
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

bool Dataflow::Builder::SourcesOf(InstId id, std::vector<InstId>& sources) const {
  const Inst& parameter = module_.inst(id);
  bool needs_phi = false;
  const auto add = [&](InstId source) { sources.push_back(source); };
  for (const InstId caller : flow_.calls_.callers(parameter.parent)) {
    const Inst& inst = module_.inst(caller);
    switch (FlowOf(inst.opcode)) {
      case OpFlow::kCall: add(Operand(inst, parameter.extra)); break;
      case OpFlow::kWhile: {
        add(Operand(inst, 0));
        const InstId root = RootOf(CalledAs(inst, AttrKey::k_body));
        if (root != id) add(root);
        needs_phi = true;
        break;
      }
      case OpFlow::kConditional: {
        const auto found = branch_operands_.find(BranchKey(caller, parameter.parent));
        if (found != branch_operands_.end()) add(Operand(inst, found->second));
        needs_phi = true;
        break;
      }
      case OpFlow::kAsyncStart: {
        const std::span<const InstId> bound = flow_.asyncs_.bound(caller);
        if (parameter.extra < bound.size()) add(bound[parameter.extra]);
        break;
      }
      default: break;
    }
  }
  return needs_phi;
}

bool Dataflow::Builder::UpdateParameter(InstId id) {
  const CompId comp = module_.inst(id).parent;
  if (flow_.calls_.context(comp) != CallGraph::Context::kControlFlow) return false;
  const bool has_many = flow_.calls_.callers(comp).size() >= kManyCallers;
  if (has_many) {
    const auto merged = merged_.find(id.value);
    if (merged != merged_.end()) return UpdateMerged(id, merged->second);
  }
  std::vector<InstId> sources;
  const bool needs_phi = SourcesOf(id, sources);
  if (sources.empty()) return false;
  if (has_many) {
    return UpdateMerged(id, merged_.try_emplace(id.value, sources, Whole(id).count).first->second);
  }
  if (!needs_phi && sources.size() == 1) return Copy(Whole(id), Whole(sources[0]));
  std::vector<PositionRange> inputs;
  inputs.reserve(sources.size());
  for (const InstId source : sources) inputs.push_back(Whole(source));
  return Phi(id, inputs);
}

// Does what Phi does, for the positions that have changed. The inputs of a phi are declared when it
// is defined and once more when all are known (SimplifyPhis); between, only their order is fixed.
bool Dataflow::Builder::UpdateMerged(InstId id, MergedInputs& inputs) {
  const PositionRange to = Whole(id);
  struct Arrival {
    uint32_t node;
    size_t order;
    uint32_t value;
  };
  std::vector<Arrival> arrived;
  inputs.Read(
      [&](InstId source, uint32_t node) {
        const PositionRange from = Whole(source);
        return from.count == to.count ? flow_.at_[from.begin + node] : kNone;
      },
      [&](uint32_t node, uint32_t value) { arrived.push_back({node, arrived.size(), value}); });
  std::sort(arrived.begin(), arrived.end(), [](const Arrival& a, const Arrival& b) {
    return std::pair(a.node, a.order) < std::pair(b.node, b.order);
  });
  bool changed = false;
  auto next = arrived.begin();
  for (const uint32_t node : inputs.TakeTouched()) {
    const auto begin = next;
    while (next != arrived.end() && next->node == node) ++next;
    const MergedInputs::Merge& merge = inputs.at(node);
    if (merge.arriving == 0) continue;
    uint32_t& at = flow_.at_[to.begin + node];
    const bool defined_here = at != kNone && flow_.values_[at].defined == Position{id, node};
    if (merge.arriving == 1) {
      const uint32_t value = merge.sources.begin()->first;
      if (at == value) continue;
      if (defined_here) flow_.values_[at].exists = false;
      at = value;
      changed = true;
    } else if (defined_here && flow_.values_[at].is_phi) {
      for (auto each = begin; each != next; ++each) phis_.Name(each->value);
    } else {
      DefineAt(id, node, /*is_phi=*/true);
      phis_.Set(at, inputs.ValuesAt(node));
      changed = true;
    }
  }
  return changed;
}

bool Dataflow::Builder::CopyBound(InstId to, InstId from, size_t count) {
  if (!from.valid()) return false;
  const auto bound = trees_.NodeAt(module_.inst(from).shape, std::initializer_list<int64_t>{0});
  if (!bound) return false;
  const ShapeId shape = trees_.shape_at(module_.inst(from).shape, *bound);
  if (!module_.shapes.is_tuple(shape)) return false;
  bool changed = false;
  const size_t elements = module_.shapes.elements(shape).size();
  for (size_t i = 0; i < std::min(count, elements); ++i) {
    const PositionRange source = Part(from, {0, static_cast<int64_t>(i)});
    changed |= Copy(Part(to, {0, static_cast<int64_t>(i)}), source, /*leaves_only=*/true,
                    module_.shapes.elements(shape)[i]);
  }
  return changed;
}

bool Dataflow::Builder::UpdateAsync(InstId id) {
  const Inst& inst = module_.inst(id);
  bool changed = false;
  const bool is_done = inst.opcode == Opcode::kAsyncDone;
  if (!is_done) {
    // Element 0 holds the operands bound so far: those of the op before, then its own.
    const std::span<const InstId> operands = module_.operands_of(inst);
    size_t bound = 0;
    if (inst.opcode == Opcode::kAsyncUpdate) {
      bound = flow_.asyncs_.first_bound(id);
      changed = CopyBound(id, Operand(inst, 0), bound);
    }
    for (size_t i = inst.opcode == Opcode::kAsyncUpdate ? 1 : 0;
         i < operands.size() && bound != SIZE_MAX; ++i, ++bound) {
      if (!operands[i].valid()) continue;
      changed |= Copy(Part(id, {0, static_cast<int64_t>(bound)}), Whole(operands[i]),
                      /*leaves_only=*/true, module_.inst(operands[i]).shape);
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
      const std::vector<CompId>& branches = BranchesOf(id);
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
