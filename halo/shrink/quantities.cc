// Union-find over the arrays of all results, in one pass over the instructions.
#include "halo/shrink/quantities.h"

#include <algorithm>

#include "halo/analysis/graph/call_graph.h"
#include "halo/ir/op_properties.h"

namespace halo {

Quantities::Quantities(const Module& module) : module_(module), parameters_(module) {
  const ShapeTable& shapes = module.shapes;
  counts_.resize(shapes.size(), 1);
  for (uint32_t i = 0; i < shapes.size(); ++i) {
    if (!shapes.is_tuple(ShapeId(i))) continue;
    counts_[i] = 0;
    for (const ShapeId part : shapes.elements(ShapeId(i))) counts_[i] += counts_[part.index()];
  }
  offsets_.Build(shapes, counts_);
  uint32_t slots = 0;
  for (size_t i = 0; i < module.insts.size(); ++i) {
    begins_.push_back(slots);
    slots += counts_[module.insts[i].shape.index()];
  }
  begins_.push_back(slots);
  parent_.resize(slots);
  owner_.resize(slots);
  for (uint32_t i = 0; i < slots; ++i) parent_[i] = i;
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    if (!shapes.is_tuple(module.insts[i].shape)) owner_[begins_[i]] = InstId(i);
  }
  FindConstants();
  for (uint32_t i = 0; i < module.insts.size(); ++i) Visit(InstId(i));
  FindLoopCounters();
  for (auto* uses : {&index_uses_, &constant_starts_}) {
    for (IndexUse& use : *uses) use.quantity = Find(use.quantity);
  }
  for (ConstantUse& use : constant_uses_) use.quantity = Find(use.quantity);
  for (uint32_t& each : device_numbers_) each = Find(each);
  std::ranges::sort(device_numbers_);
  for (uint32_t& each : loop_counters_) each = Find(each);
}

uint32_t Quantities::Find(uint32_t slot) const {
  while (parent_[slot] != slot) slot = parent_[slot] = parent_[parent_[slot]];
  return slot;
}

bool Quantities::IsDeviceNumber(uint32_t quantity) const {
  return std::ranges::binary_search(device_numbers_, quantity);
}

bool Quantities::IsInteger(InstId inst) const {
  const ShapeId shape = module_.inst(inst).shape;
  return module_.shapes.is_array(shape) && IsIntegerType(module_.shapes.type(shape));
}

// Returns true if the result contains exactly the operand's numbers.
bool Quantities::KeepsNumbers(InstId id) const {
  const Inst& inst = module_.inst(id);
  if (HasFlag(inst.opcode, kRelayouts) || inst.opcode == Opcode::kBroadcast) return true;
  return inst.opcode == Opcode::kConvert && IsInteger(id) &&
         IsInteger(module_.operands_of(inst)[0]);
}

// Callers before callees, so that a fusion's parameter knows its argument.
void Quantities::FindConstants() {
  constant_.resize(module_.insts.size());
  const CallGraph calls(module_);
  if (calls.cyclic().valid()) return;
  const auto& order = calls.post_order();
  for (auto comp = order.rbegin(); comp != order.rend(); ++comp) {
    const Computation& at = module_.comp(*comp);
    const auto callers = calls.callers(*comp);
    const bool one = callers.size() == 1 && (module_.inst(callers[0]).opcode == Opcode::kFusion ||
                                             module_.inst(callers[0]).opcode == Opcode::kCall);
    for (uint32_t i = 0; i < at.count; ++i) {
      const InstId id(at.first + i);
      const Inst& inst = module_.inst(id);
      const OpFlow flow = FlowOf(inst.opcode);
      if (flow == OpFlow::kConstant) {
        constant_[id.index()] = id;
      } else if (flow == OpFlow::kParameter) {
        if (one && inst.extra < module_.inst(callers[0]).operand_count) {
          constant_[id.index()] =
              constant_[module_.operands_of(module_.inst(callers[0]))[inst.extra].index()];
        }
      } else if (KeepsNumbers(id)) {
        constant_[id.index()] = constant_[module_.operands_of(inst)[0].index()];
      }
    }
  }
}

Quantities::Slots Quantities::Element(InstId inst, std::span<const int64_t> path) const {
  const auto part = offsets_.Find(module_.shapes, module_.inst(inst).shape, path);
  if (!part) return {};
  return {begins_[inst.index()] + static_cast<uint32_t>(part->first), counts_[part->shape.index()]};
}

void Quantities::JoinSlots(Slots a, Slots b, InstId user) {
  if (a.count != b.count) return;
  for (uint32_t i = 0; i < a.count; ++i) {
    uint32_t x = a.first + i, y = b.first + i;
    const InstId left = owner_[x], right = owner_[y];
    const InstId left_constant = left.valid() ? constant_[left.index()] : InstId();
    const InstId right_constant = right.valid() ? constant_[right.index()] : InstId();
    if (left_constant.valid() && right_constant.valid()) continue;
    if (left_constant.valid() || right_constant.valid()) {
      constant_uses_.push_back({left_constant.valid() ? left_constant : right_constant, user,
                                left_constant.valid() ? y : x, false});
      continue;
    }
    x = Find(x);
    y = Find(y);
    parent_[std::max(x, y)] = std::min(x, y);
  }
}

void Quantities::Join(InstId a, InstId b, InstId user) {
  if (IsInteger(a) && IsInteger(b)) JoinSlots(All(a), All(b), user);
}

void Quantities::VisitCall(InstId id, CompId comp) {
  const Inst& inst = module_.inst(id);
  for (const InstId at : parameters_.of(comp)) {
    const uint32_t number = module_.inst(at).extra;
    if (number < inst.operand_count) JoinSlots(All(at), All(module_.operands_of(inst)[number]), id);
  }
}

bool Quantities::VisitStructure(InstId id) {
  const Inst& inst = module_.inst(id);
  const auto operands = module_.operands_of(inst);
  std::vector<CompId> comps;
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kTuple:
      for (size_t i = 0; i < operands.size(); ++i) {
        const auto n = static_cast<int64_t>(i);
        JoinSlots(Element(id, {&n, 1}), All(operands[i]), id);
      }
      return true;
    case OpFlow::kElement: {
      const int64_t n = module_.IntOr(inst.attrs, AttrKey::k_index, 0);
      JoinSlots(Element(operands[0], {&n, 1}), All(id), id);
      return true;
    }
    case OpFlow::kForwards:
    case OpFlow::kAsyncUpdate: JoinSlots(All(operands[0]), All(id), id); return true;
    case OpFlow::kWhile:
      JoinSlots(All(operands[0]), All(id), id);
      module_.CalledBy(inst, comps);
      for (const CompId comp : comps) {
        VisitCall(id, comp);
        JoinSlots(All(module_.comp(comp).root), All(id), id);
      }
      return true;
    case OpFlow::kCall:
    case OpFlow::kFusion:
      module_.CalledBy(inst, comps);
      for (const CompId comp : comps) {
        VisitCall(id, comp);
        JoinSlots(All(module_.comp(comp).root), All(id), id);
      }
      return true;
    case OpFlow::kConditional:
      module_.CalledBy(inst, comps);
      for (size_t i = 0; i < comps.size(); ++i) {
        for (const InstId at : parameters_.of(comps[i])) {
          if (i + 1 < operands.size()) JoinSlots(All(at), All(operands[i + 1]), id);
        }
        JoinSlots(All(module_.comp(comps[i]).root), All(id), id);
      }
      return true;
    case OpFlow::kAsyncStart: {
      module_.CalledBy(inst, comps);
      const int64_t one = 1;
      for (const CompId comp : comps) {
        VisitCall(id, comp);
        JoinSlots(All(module_.comp(comp).root), Element(id, {&one, 1}), id);
      }
      return true;
    }
    case OpFlow::kAsyncDone:
    case OpFlow::kStartedResult: {
      const int64_t one = 1;
      JoinSlots(Element(operands[0], {&one, 1}), All(id), id);
      return true;
    }
    case OpFlow::kGatherStart:
    case OpFlow::kPermuteStart: {
      const int64_t one = 1;
      if (operands.size() == 1) JoinSlots(All(operands[0]), Element(id, {&one, 1}), id);
      return true;
    }
    case OpFlow::kDeviceId: device_numbers_.push_back(begins_[id.index()]); return true;
    default: return false;
  }
}

void Quantities::Index(InstId index, InstId user, size_t operand, size_t dim) {
  const InstId constant = constant_[index.index()];
  if (constant.valid()) {
    constant_starts_.push_back({begins_[constant.index()], user, operand, dim});
  } else {
    index_uses_.push_back({begins_[index.index()], user, operand, dim});
  }
}

void Quantities::VisitIndexing(InstId id) {
  const Inst& inst = module_.inst(id);
  const auto operands = module_.operands_of(inst);
  const auto starts = [&](size_t first, ShapeId part) {
    const auto whole = module_.shapes.dims(module_.inst(operands[0]).shape);
    const auto taken = module_.shapes.dims(part);
    if (operands.size() - first != whole.size()) return;
    for (size_t i = 0; i < whole.size(); ++i) {
      if (whole[i] != taken[i]) Index(operands[first + i], id, 0, i);
    }
  };
  switch (PropertiesOf(inst.opcode).elements) {
    case OpElements::kSliced:
      Join(operands[0], id, id);
      starts(1, inst.shape);
      break;
    case OpElements::kUpdated:
      Join(operands[0], id, id);
      Join(operands[1], id, id);
      starts(2, module_.inst(operands[1]).shape);
      break;
    case OpElements::kGathered:
    case OpElements::kScattered: {
      const bool gather = inst.opcode == Opcode::kGather;
      if (!gather && operands.size() != 3) break;
      const auto map = module_.IntsOf(inst.attrs, gather ? AttrKey::k_start_index_map
                                                         : AttrKey::k_scatter_dims_to_operand_dims);
      if (map.size() == 1) Index(operands[1], id, 0, static_cast<size_t>(map[0]));
      Join(operands[0], id, id);
      if (!gather) Join(operands[2], id, id);
      break;
    }
    default: break;
  }
}

void Quantities::Visit(InstId id) {
  if (VisitStructure(id)) return;
  const Inst& inst = module_.inst(id);
  const auto operands = module_.operands_of(inst);
  switch (PropertiesOf(inst.opcode).elements) {
    case OpElements::kCounted:
      if (IsInteger(id)) {
        index_uses_.push_back(
            {begins_[id.index()], id, 0,
             static_cast<size_t>(module_.IntOr(inst.attrs, AttrKey::k_iota_dimension, 0))});
      }
      break;
    case OpElements::kFirst:
      if (operands.size() == 1 && !constant_[id.index()].valid()) Join(operands[0], id, id);
      break;
    case OpElements::kConcatenated: {
      // Parts of one element each form an index vector, in which each counts something different.
      const auto along = module_.IntsOf(inst.attrs, AttrKey::k_dimensions);
      if (along.size() != 1) break;
      bool vector = true;
      for (const InstId part : operands) {
        const auto dims = module_.shapes.dims(module_.inst(part).shape);
        vector = vector && dims[static_cast<size_t>(along[0])] == 1;
      }
      if (vector) break;
      for (const InstId part : operands) Join(part, id, id);
      break;
    }
    case OpElements::kAll:
    case OpElements::kAdded:
    case OpElements::kSubtracted:
    case OpElements::kExtreme:
    case OpElements::kClamped:
      for (const InstId operand : operands) Join(operand, id, id);
      break;
    case OpElements::kChosen:
      Join(operands[1], id, id);
      Join(operands[2], id, id);
      break;
    case OpElements::kCompared: Join(operands[0], operands[1], id); break;
    case OpElements::kSorted:
      for (size_t i = 0; i < operands.size(); ++i) {
        const auto n = static_cast<int64_t>(i);
        JoinSlots(All(operands[i]), operands.size() == 1 ? All(id) : Element(id, {&n, 1}), id);
      }
      break;
    case OpElements::kMultiplied:
    case OpElements::kDivided:
    case OpElements::kRemainder:
      if (!IsInteger(id)) break;
      for (size_t i = 0; i < 2; ++i) {
        const InstId constant = constant_[operands[i].index()];
        if (!constant.valid() || constant_[operands[1 - i].index()].valid()) continue;
        const bool product = inst.opcode == Opcode::kMultiply;
        if (!product && i == 0) continue;
        const InstId whole = product ? id : operands[0];
        constant_uses_.push_back({constant, id, begins_[whole.index()], true});
        if (inst.opcode == Opcode::kRemainder) Join(operands[0], id, id);
      }
      break;
    default: VisitIndexing(id); break;
  }
}

// Finds comparisons within conditions, including those in called computations at any depth.
void Quantities::FindLoopCounters() {
  std::vector<CompId> stack;
  for (size_t i = 0; i < module_.insts.size(); ++i) {
    if (module_.insts[i].opcode != Opcode::kWhile) continue;
    for (const Attr& attr : module_.attrs_of(module_.insts[i])) {
      if (attr.key == AttrKey::k_condition) stack.emplace_back(attr.value);
    }
  }
  std::vector<bool> seen(module_.comps.size(), false);
  while (!stack.empty()) {
    const CompId comp = stack.back();
    stack.pop_back();
    if (seen[comp.index()]) continue;
    seen[comp.index()] = true;
    const Computation& at = module_.comp(comp);
    for (uint32_t i = 0; i < at.count; ++i) {
      const Inst& inst = module_.inst(InstId(at.first + i));
      module_.CalledBy(inst, stack);
      if (inst.opcode != Opcode::kCompare) continue;
      for (const InstId operand : module_.operands_of(inst)) {
        if (IsInteger(operand) && !constant_[operand.index()].valid()) {
          loop_counters_.push_back(begins_[operand.index()]);
        }
      }
    }
  }
}

}  // namespace halo
