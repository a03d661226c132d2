// A reduce along dimensions of size 1 whose initial value is the identity only drops them.
#include <algorithm>
#include <vector>

#include "halo/passes/rewrite/constants.h"
#include "halo/passes/simplify/simplify_rules.h"

namespace halo {
namespace {

// The single op of a computation on two scalars.
Opcode OnlyOp(const Module& module, CompId comp) {
  const Computation& computation = module.comp(comp);
  if (computation.count != 3) return Opcode::kUnknown;
  const Inst& root = module.inst(computation.root);
  const std::span<const InstId> operands = module.operands_of(root);
  if (operands.size() != 2 || operands[0] == operands[1]) return Opcode::kUnknown;
  for (const InstId operand : operands) {
    if (module.inst(operand).opcode != Opcode::kParameter) return Opcode::kUnknown;
    if (module.inst(operand).shape != root.shape) return Opcode::kUnknown;
  }
  return root.opcode;
}

bool IsNeutral(Opcode opcode, const Splat& start) {
  const bool is_float = InfoOf(start.type).klass == ElementClass::kFloat;
  switch (opcode) {
    case Opcode::kAdd: return IsNumber(start, is_float ? -0.0 : 0.0);
    case Opcode::kMultiply: return IsNumber(start, 1.0);
    case Opcode::kMaximum: return IsLowest(start);
    case Opcode::kMinimum: return IsHighest(start);
    case Opcode::kAnd: return IsAllOnes(start);
    case Opcode::kOr: return IntegerOf(start) == 0;
    default: return false;
  }
}

}  // namespace

InstId SimplifyReduce(ModuleEditor& edit, InstId id) {
  const Inst inst = edit.inst(id);
  if (inst.opcode != Opcode::kReduce || inst.operand_count != 2) return {};
  const ShapeTable& shapes = edit.module().shapes;
  const InstId operand = edit.operand(id, 0);
  const std::span<const int64_t> dims = shapes.dims(edit.inst(operand).shape);
  for (const int64_t dim : edit.module().IntsOf(inst.attrs, AttrKey::k_dimensions)) {
    if (dims[static_cast<size_t>(dim)] != 1) return {};
  }
  const Attr* reducer = edit.module().Find(inst, AttrKey::k_to_apply);
  const std::optional<Splat> start = SplatOf(edit, edit.operand(id, 1));
  if (reducer == nullptr || !start || start->type != shapes.type(inst.shape)) return {};
  if (shapes.type(edit.inst(operand).shape) != start->type) return {};
  if (!IsNeutral(OnlyOp(edit.module(), CompId(reducer->value)), *start)) return {};
  return edit.Add(inst.parent, Opcode::kReshape, inst.shape, {operand}, {}, id);
}

}  // namespace halo
