// A key is the class of the first program, or, for classes that only the second program has, a
// number after those, together with the number of the output.
#include "halo/diff/peak/stored_values.h"

#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr StoredKey kByShape = StoredKey{1} << 63;

}  // namespace

ValueResolver::ValueResolver(const Module& module, const ValueGraph& graph)
    : module_(module), graph_(graph), calls_(module), shapes_(module.shapes) {
  first_.assign(module.insts.size(), kUnmatched);
  states_.assign(module.insts.size(), kUnmatched);
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const ValueNode& node = graph.nodes[i];
    if (node.kind == ValueKind::kLoop) continue;
    std::vector<uint32_t>& known = node.kind == ValueKind::kState ? states_ : first_;
    uint32_t& first = known[node.inst.index()];
    if (first == kUnmatched) first = i;
  }
}

// Goes from one array to the one it was taken from; false if there is none.
bool ValueResolver::Step(InstId& at, uint32_t& leaf) {
  const Inst& inst = module_.inst(at);
  const std::span<const InstId> operands = module_.operands_of(inst);
  const auto to_operand = [&](size_t number, uint32_t begin) {
    if (number >= operands.size() || !operands[number].valid()) return false;
    at = operands[number];
    leaf += begin;
    return true;
  };
  const auto element = [&](int64_t number) {
    if (operands.empty() || !operands[0].valid()) return false;
    const ShapeId shape = module_.inst(operands[0]).shape;
    return to_operand(0, shapes_.Element(shape, number).begin);
  };
  // The operand whose leaves include `leaf`, counted through all of them.
  const auto among = [&] {
    const size_t likely =
        inst.opcode == Opcode::kTuple ? shapes_.ElementOf(inst.shape, leaf) : operands.size();
    if (likely < operands.size() && operands[likely].valid() &&
        module_.inst(operands[likely]).shape == module_.shapes.elements(inst.shape)[likely]) {
      leaf -= shapes_.Element(inst.shape, static_cast<int64_t>(likely)).begin;
      return to_operand(likely, 0);
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].valid()) return false;
      const uint32_t count = shapes_.Count(module_.inst(operands[i]).shape);
      if (leaf < count) return to_operand(i, 0);
      leaf -= count;
    }
    return false;
  };
  const auto root = [&] {
    called_.clear();
    CalledComputations(module_, inst, called_);
    if (called_.empty() || !called_[0].valid() || !module_.comp(called_[0]).root.valid()) {
      return false;
    }
    at = module_.comp(called_[0]).root;
    return true;
  };
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kParameter: {
      if (calls_.callers(inst.parent).empty()) return false;
      const InstId caller = calls_.callers(inst.parent).front();
      const Inst& call = module_.inst(caller);
      const OpFlow flow = FlowOf(call.opcode);
      if (flow == OpFlow::kWhile) {
        at = caller;
        return true;
      }
      size_t number = inst.extra;
      if (flow == OpFlow::kConditional) {
        called_.clear();
        CalledComputations(module_, call, called_);
        number = 1;
        while (number <= called_.size() && called_[number - 1] != inst.parent) ++number;
      } else if (flow != OpFlow::kFusion && flow != OpFlow::kCall && flow != OpFlow::kAsyncStart) {
        return false;
      }
      const std::span<const InstId> given = module_.operands_of(call);
      if (number >= given.size() || !given[number].valid()) return false;
      at = given[number];
      return true;
    }
    case OpFlow::kForwards:
    case OpFlow::kAsyncUpdate:
    case OpFlow::kReduceDone:
    case OpFlow::kCopy:
    case OpFlow::kBitcast: return to_operand(0, 0);
    case OpFlow::kCopyStart: leaf = 0; return to_operand(0, 0);
    case OpFlow::kCopyDone: return element(0);
    case OpFlow::kTuple: return among();
    case OpFlow::kElement: return element(module_.IntOr(inst.attrs, AttrKey::k_index, 0));
    case OpFlow::kAsyncDone:
    case OpFlow::kStartedResult: return element(1);
    case OpFlow::kCall:
    case OpFlow::kFusion: return root();
    case OpFlow::kAsyncStart: {
      const LeafRange given = shapes_.Element(inst.shape, 0);
      if (leaf < given.count) return among();
      leaf -= given.count;
      return root();
    }
    default: return inst.opcode == Opcode::kReshape && to_operand(0, 0);
  }
}

uint32_t ValueResolver::NodeOf(InstId inst) const {
  const uint32_t states = states_[inst.index()];
  return states != kUnmatched ? states : first_[inst.index()];
}

// Each position is passed once, whichever values lead through it. One that is met again before its
// end is known is part of a ring.
ValueResolver::Source ValueResolver::EndOf(Source from) {
  const auto key = [](Source position) {
    return uint64_t{position.inst.value} << 32 | position.leaf;
  };
  std::vector<uint64_t> way;
  Source end, at = from;
  while (at.inst.valid() && at.inst.index() < first_.size()) {
    if (NodeOf(at.inst) != kUnmatched) {
      end = at;
      break;
    }
    const auto [known, is_new] = ends_.try_emplace(key(at));
    if (!is_new) {
      end = known->second;
      break;
    }
    way.push_back(key(at));
    if (!Step(at.inst, at.leaf)) break;
  }
  for (const uint64_t each : way) ends_[each] = end;
  return end;
}

ResolvedValue ValueResolver::Resolve(InstId inst, uint32_t leaf) {
  const Source end = EndOf({inst, leaf});
  if (!end.inst.valid()) return {};
  const uint32_t node = NodeOf(end.inst);
  const ValueNode& found = graph_.nodes[node];
  const bool by_leaf = found.kind == ValueKind::kState || found.kind == ValueKind::kBranch;
  ResolvedValue result;
  result.node = by_leaf ? node + end.leaf : node;
  result.out = by_leaf ? 0 : end.leaf;
  const OpFlow flow =
      FlowOf(found.inst == end.inst ? module_.inst(end.inst).opcode : Opcode::kUnknown);
  if (flow == OpFlow::kGatherStart || flow == OpFlow::kPermuteStart) {
    const uint32_t given = shapes_.Element(module_.inst(end.inst).shape, 0).count;
    result.out = end.leaf >= given ? end.leaf - given : 0;
  }
  if (result.node >= graph_.nodes.size() || graph_.nodes[result.node].inst != found.inst) return {};
  // A kernel that stores what another one computed.
  const OpFlow how = FlowOf(module_.inst(inst).opcode);
  result.is_copy =
      how == OpFlow::kCopy || how == OpFlow::kCopyStart ||
      (how == OpFlow::kFusion && found.kernel != inst && found.kind != ValueKind::kState);
  return result;
}

ResolvedValue ValueResolver::ResolveNode(InstId inst, uint32_t node) {
  if (!inst.valid() || inst.index() >= module_.insts.size()) return {};
  const std::optional<uint32_t> leaf = shapes_.LeafAtNode(module_.inst(inst).shape, node);
  return leaf ? Resolve(inst, *leaf) : ResolvedValue{};
}

StoredValues::StoredValues(const MatchedPrograms& programs, ProgramSide side,
                           const BoundAssignment& bound)
    : programs_(programs),
      side_(side),
      bound_(bound),
      resolver_(side == ProgramSide::kBefore ? programs.a : programs.b,
                side == ProgramSide::kBefore ? programs.graph_a : programs.graph_b) {
  const Assignment& assignment = bound.assignment();
  keys_.reserve(assignment.values.size());
  copies_.reserve(assignment.values.size());
  for (size_t i = 0; i < assignment.values.size(); ++i) {
    const BoundValue value = bound.value(ValueId(i));
    const ResolvedValue resolved = resolver_.ResolveNode(value.inst, value.node);
    StoredKey key = KeyOf(resolved);
    if (!is_value(key)) {
      for (const char c : assignment.text(assignment.values[i].shape)) {
        key = (key ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
      }
      key |= kByShape;
    }
    keys_.push_back(key);
    copies_.push_back(resolved.is_copy);
    if (assignment.values[i].allocation.valid()) by_key_[key].push_back(ValueId(i));
  }
}

StoredKey StoredValues::KeyOf(const ResolvedValue& value) const {
  if (value.node == kUnmatched) return kByShape;
  const bool is_before = side_ == ProgramSide::kBefore;
  const ClassGraph& classes = is_before ? programs_.classes_a : programs_.classes_b;
  uint32_t number = classes.class_of(value.node);
  if (!is_before) {
    const uint32_t matched = programs_.match.to_a[number];
    number = matched != kUnmatched ? matched : programs_.classes_a.size() + number;
  }
  return (StoredKey{number} << 24) | (value.out & 0xFFFFFFu);
}

bool StoredValues::is_matched(StoredKey key) const {
  const auto number = static_cast<uint32_t>(key >> 24);
  return is_value(key) && number < programs_.classes_a.size() &&
         programs_.match.to_b[number] != kUnmatched;
}

std::span<const ValueId> StoredValues::with(StoredKey key) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return {};
  return found->second;
}

}  // namespace halo
