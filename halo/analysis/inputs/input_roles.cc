// Walks every computation backwards, repeatedly until the demands on values no longer change,
// because loops and shared computations pass them around.
#include "halo/analysis/inputs/input_roles.h"

#include <algorithm>

#include "halo/analysis/inputs/use_demands.h"
#include "halo/ir/op_properties.h"
#include "halo/semantics/facts/parameters.h"
#include "halo/semantics/facts/tuple_leaves.h"

namespace halo {
namespace {

// Nesting deeper than this many calls loses roles, nothing else.
constexpr int kMaxPasses = 8;

class RoleWalk {
 public:
  explicit RoleWalk(const Module& module) : module_(module), leaves_(module.shapes) {}

  // False if the module's tuples are too large to follow.
  bool Run();
  [[nodiscard]] std::span<const Demand> DemandsOf(InstId id) const {
    return {demands_.data() + begin_[id.index()], begin_[id.index() + 1] - begin_[id.index()]};
  }

 private:
  [[nodiscard]] InstId Parameter(CompId comp, size_t number) const;
  void JoinAt(InstId id, size_t leaf, const Demand& demand);
  // Joins all leaves of one instruction into those of another, from their respective offsets on.
  void JoinAll(InstId from, InstId to, size_t from_offset = 0, size_t to_offset = 0);
  void Visit(InstId id);
  void VisitTuple(const Inst& inst, InstId id);
  void VisitElement(const Inst& inst, InstId id);
  void VisitCall(const Inst& inst, InstId id, CompId comp, size_t first_operand);
  void VisitWhile(const Inst& inst, InstId id);
  void VisitConditional(const Inst& inst, InstId id);
  void VisitManyArrays(const Inst& inst, InstId id);

  const Module& module_;
  TupleLeaves leaves_;
  std::vector<size_t> begin_;
  std::vector<Demand> demands_;
  std::vector<std::vector<InstId>> parameters_;  // by computation and parameter number
  bool changed_ = false;
};

bool RoleWalk::Run() {
  begin_.reserve(module_.insts.size() + 1);
  begin_.push_back(0);
  for (const Inst& inst : module_.insts) {
    begin_.push_back(begin_.back() + leaves_.CountOf(inst.shape));
  }
  if (begin_.back() > TupleLeaves::kMost) return false;
  demands_.resize(begin_.back());
  for (size_t i = 0; i < module_.comps.size(); ++i) {
    parameters_.push_back(ParametersOf(module_, CompId(i)));
  }
  changed_ = true;
  for (int pass = 0; pass < kMaxPasses && changed_; ++pass) {
    changed_ = false;
    for (const CompId comp : module_.order) {
      const Computation& computation = module_.comp(comp);
      for (uint32_t i = computation.count; i-- > 0;) Visit(InstId(computation.first + i));
    }
  }
  return true;
}

InstId RoleWalk::Parameter(CompId comp, size_t number) const {
  if (!comp.valid() || number >= parameters_[comp.index()].size()) return {};
  return parameters_[comp.index()][number];
}

void RoleWalk::JoinAt(InstId id, size_t leaf, const Demand& demand) {
  const size_t at = begin_[id.index()] + leaf;
  if (demand.empty() || at >= begin_[id.index() + 1]) return;
  changed_ |= Join(demand, demands_[at]);
}

void RoleWalk::JoinAll(InstId from, InstId to, size_t from_offset, size_t to_offset) {
  if (!from.valid() || !to.valid()) return;
  const size_t from_count = DemandsOf(from).size();
  const size_t to_count = DemandsOf(to).size();
  for (size_t i = 0; from_offset + i < from_count && to_offset + i < to_count; ++i) {
    JoinAt(to, to_offset + i, DemandsOf(from)[from_offset + i]);
  }
}

void RoleWalk::VisitTuple(const Inst& inst, InstId id) {
  size_t offset = 0;
  for (const InstId operand : module_.operands_of(inst)) {
    JoinAll(id, operand, offset);
    offset += DemandsOf(operand).size();
  }
}

void RoleWalk::VisitElement(const Inst& inst, InstId id) {
  if (inst.operand_count != 1) return;
  const InstId tuple = module_.operands_of(inst)[0];
  const ShapeId shape = module_.inst(tuple).shape;
  const int64_t index = module_.IntOr(inst.attrs, AttrKey::k_index, -1);
  if (index < 0 || static_cast<size_t>(index) >= module_.shapes.elements(shape).size()) return;
  JoinAll(id, tuple, 0, leaves_.Before(shape, static_cast<size_t>(index)));
}

void RoleWalk::VisitCall(const Inst& inst, InstId id, CompId comp, size_t first_operand) {
  if (!comp.valid() || !module_.comp(comp).defined) return;
  JoinAll(id, module_.comp(comp).root);
  const std::span<const InstId> operands = module_.operands_of(inst);
  for (size_t i = first_operand; i < operands.size(); ++i) {
    JoinAll(Parameter(comp, i - first_operand), operands[i]);
  }
}

void RoleWalk::VisitWhile(const Inst& inst, InstId id) {
  const Attr* body = module_.Find(inst, AttrKey::k_body);
  const Attr* condition = module_.Find(inst, AttrKey::k_condition);
  if (body == nullptr || condition == nullptr || inst.operand_count != 1) return;
  const CompId body_comp(body->value);
  if (!module_.comp(body_comp).defined) return;
  const InstId carried = Parameter(body_comp, 0);
  const InstId operand = module_.operands_of(inst)[0];
  JoinAll(Parameter(CompId(condition->value), 0), carried);
  JoinAll(id, module_.comp(body_comp).root);
  JoinAll(id, operand);  // the loop may run zero times
  JoinAll(carried, module_.comp(body_comp).root);
  JoinAll(carried, operand);
}

void RoleWalk::VisitConditional(const Inst& inst, InstId id) {
  std::vector<CompId> branches;
  module_.CalledBy(inst, branches);
  const std::span<const InstId> operands = module_.operands_of(inst);
  if (operands.size() != branches.size() + 1) return;
  if (IsIntegerType(module_.shapes.type(module_.inst(operands[0]).shape))) {
    Demand demand;
    demand.limit = static_cast<int64_t>(branches.size());
    demand.because = id;
    JoinAt(operands[0], 0, demand);
  }
  for (size_t i = 0; i < branches.size(); ++i) {
    if (!module_.comp(branches[i]).defined) continue;
    JoinAll(id, module_.comp(branches[i]).root);
    JoinAll(Parameter(branches[i], 0), operands[i + 1]);
  }
}

// Sorts and reductions of several arrays are followed leaf by leaf.
void RoleWalk::VisitManyArrays(const Inst& inst, InstId id) {
  const std::span<const InstId> operands = module_.operands_of(inst);
  for (size_t i = 0; i < operands.size() && i < DemandsOf(id).size(); ++i) {
    Demand demand = DemandsOf(id)[i];
    if (inst.opcode != Opcode::kSort) demand.limit = demand.summed = 0;
    JoinAt(operands[i], 0, demand);
  }
}

void RoleWalk::Visit(InstId id) {
  const Inst& inst = module_.inst(id);
  std::vector<CompId> called;
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kForwards:
    case OpFlow::kTuple: return VisitTuple(inst, id);
    case OpFlow::kElement: return VisitElement(inst, id);
    case OpFlow::kCall:
    case OpFlow::kFusion:
      module_.CalledBy(inst, called);
      return called.size() == 1 ? VisitCall(inst, id, called[0], 0) : void();
    case OpFlow::kWhile: return VisitWhile(inst, id);
    case OpFlow::kConditional: return VisitConditional(inst, id);
    default: break;
  }
  if (inst.opcode == Opcode::kSort) return VisitManyArrays(inst, id);
  if (module_.shapes.is_tuple(inst.shape) &&
      (inst.opcode == Opcode::kReduce || inst.opcode == Opcode::kAllReduce)) {
    return VisitManyArrays(inst, id);
  }
  const Demand made = module_.shapes.is_array(inst.shape) ? DemandsOf(id)[0] : Demand();
  AskOperands(module_, id, made, [&](size_t operand, const Demand& demand) {
    JoinAt(module_.operands_of(inst)[operand], 0, demand);
  });
}

bool IsRandomWord(ElementType type) {
  return type == ElementType::kU32 || type == ElementType::kU64;
}

InputUse UseOf(ElementType type, const Demand& demand) {
  InputUse use;
  use.because = demand.because;
  const ElementClass klass = InfoOf(type).klass;
  switch (klass) {
    case ElementClass::kOther: use.role = InputRole::kToken; break;
    case ElementClass::kPred: use.role = InputRole::kMask; break;
    case ElementClass::kSigned:
    case ElementClass::kUnsigned:
      use.limit = demand.limit;
      if (demand.limit > 0) {
        use.role = InputRole::kIndex;
      } else if (demand.random_state || (IsRandomWord(type) && !demand.positive)) {
        use.role = InputRole::kRandomState;
      } else {
        use.role = demand.positive ? InputRole::kPositive : InputRole::kCount;
      }
      break;
    case ElementClass::kFloat:
    case ElementClass::kComplex:
      use.summed = demand.summed;
      use.role = demand.positive     ? InputRole::kPositive
                 : demand.summed > 0 ? InputRole::kFactor
                                     : InputRole::kValue;
      break;
  }
  if (use.role == InputRole::kValue || use.role == InputRole::kCount) use.because = {};
  return use;
}

void AddLeaves(const Module& module, ShapeId shape, InputLeaf& at, std::vector<InputLeaf>& leaves) {
  if (at.path.size() > TupleLeaves::kMaxDepth || leaves.size() > TupleLeaves::kMost) return;
  if (!module.shapes.is_tuple(shape)) {
    at.shape = shape;
    leaves.push_back(at);
    ++at.ordinal;
    return;
  }
  const std::span<const ShapeId> elements = module.shapes.elements(shape);
  for (size_t i = 0; i < elements.size(); ++i) {
    at.path.push_back(static_cast<int64_t>(i));
    AddLeaves(module, elements[i], at, leaves);
    at.path.pop_back();
  }
}

}  // namespace

std::string_view TextOf(InputRole role) {
  switch (role) {
    case InputRole::kValue: return "value";
    case InputRole::kFactor: return "factor";
    case InputRole::kPositive: return "positive";
    case InputRole::kIndex: return "index";
    case InputRole::kCount: return "count";
    case InputRole::kMask: return "mask";
    case InputRole::kRandomState: return "random-state";
    case InputRole::kToken: return "token";
  }
  return {};
}

std::vector<InputLeaf> InputLeaves(const Module& module) {
  std::vector<InputLeaf> leaves;
  for (const InstId id : ParametersOf(module, module.entry)) {
    if (!id.valid()) continue;
    InputLeaf leaf;
    leaf.inst = id;
    leaf.parameter = module.inst(id).extra;
    AddLeaves(module, module.inst(id).shape, leaf, leaves);
  }
  return leaves;
}

std::vector<InputUse> InferInputRoles(const Module& module) {
  RoleWalk walk(module);
  const bool known = walk.Run();
  std::vector<InputUse> uses;
  for (const InputLeaf& leaf : InputLeaves(module)) {
    const auto at = static_cast<size_t>(leaf.ordinal);
    uses.push_back(
        UseOf(module.shapes.type(leaf.shape), known ? walk.DemandsOf(leaf.inst)[at] : Demand()));
  }
  return uses;
}

}  // namespace halo
