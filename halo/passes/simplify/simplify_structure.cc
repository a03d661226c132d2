// Simplifies tuples, copies, bitcasts, sizes of dimensions, and branches that are known at compile
// time.
#include <algorithm>
#include <cstring>
#include <vector>

#include "halo/passes/rewrite/constants.h"
#include "halo/passes/rewrite/physical.h"
#include "halo/passes/simplify/simplify_rules.h"

namespace halo {
namespace {

// The tuple that consists of exactly these elements, in order.
InstId WholeTuple(const ModuleEditor& edit, InstId id) {
  const Module& module = edit.module();
  InstId whole;
  const std::vector<InstId> operands = edit.operands(id);
  for (size_t i = 0; i < operands.size(); ++i) {
    const Inst& element = edit.inst(operands[i]);
    if (element.opcode != Opcode::kGetTupleElement) return {};
    if (module.IntOr(element.attrs, AttrKey::k_index, -1) != static_cast<int64_t>(i)) return {};
    const InstId tuple = edit.operand(operands[i], 0);
    if (whole.valid() && tuple != whole) return {};
    whole = tuple;
  }
  if (!whole.valid() || edit.inst(whole).shape != edit.inst(id).shape) return {};
  return whole;
}

InstId SimplifyCopy(ModuleEditor& edit, InstId id) {
  const ShapeTable& shapes = edit.module().shapes;
  const Inst& inst = edit.inst(id);
  const InstId operand = edit.operand(id, 0);
  if (edit.inst(operand).shape == inst.shape) return operand;
  if (!shapes.is_array(inst.shape)) return {};
  if (shapes.type(edit.inst(operand).shape) != shapes.type(inst.shape)) {
    return edit.Add(inst.parent, Opcode::kConvert, inst.shape, {operand}, {}, id);
  }
  if (ReshapeIsBitcast(shapes, edit.inst(operand).shape, inst.shape)) {
    return edit.Add(inst.parent, Opcode::kBitcast, inst.shape, {operand}, {}, id);
  }
  // Combines a copy of a copy.
  if (edit.inst(operand).opcode != Opcode::kCopy) return {};
  const InstId source = edit.operand(operand, 0);
  if (shapes.type(edit.inst(source).shape) != shapes.type(inst.shape)) return {};
  return edit.Add(inst.parent, Opcode::kCopy, inst.shape, {source}, {}, id);
}

InstId SimplifyBitcast(ModuleEditor& edit, InstId id) {
  const InstId operand = edit.operand(id, 0);
  if (edit.inst(operand).shape == edit.inst(id).shape) return operand;
  if (edit.inst(operand).opcode != Opcode::kBitcast) return {};
  const InstId source = edit.operand(operand, 0);
  return edit.Add(edit.inst(id).parent, Opcode::kBitcast, edit.inst(id).shape, {source}, {}, id);
}

// A call of the branch that is taken.
InstId SimplifyConditional(ModuleEditor& edit, InstId id) {
  const std::optional<Splat> selector = SplatOf(edit, edit.operand(id, 0));
  if (!selector) return {};
  std::vector<CompId> branches;
  edit.module().CalledBy(edit.inst(id), branches);
  const auto last = static_cast<int64_t>(branches.size()) - 1;
  const std::optional<int64_t> number = IntegerOf(*selector);
  if (!number || last < 0) return {};
  int64_t taken = *number >= 0 && *number < last ? *number : last;
  if (selector->type == ElementType::kPred) taken = *number != 0 ? 0 : 1;
  if (taken > last || static_cast<size_t>(taken) + 1 >= edit.inst(id).operand_count) return {};
  const Attr callee{AttrKey::k_to_apply, AttrForm::kPlain, 0,
                    branches[static_cast<size_t>(taken)].value};
  return edit.Add(edit.inst(id).parent, Opcode::kCall, edit.inst(id).shape,
                  {edit.operand(id, static_cast<size_t>(taken) + 1)}, {&callee, 1}, id);
}

// The pipeline sees static dimensions only.
InstId SimplifyDimensionSize(ModuleEditor& edit, InstId id) {
  const Module& module = edit.module();
  const ShapeId operand = edit.inst(edit.operand(id, 0)).shape;
  const std::span<const int64_t> dims = module.IntsOf(edit.inst(id).attrs, AttrKey::k_dimensions);
  if (dims.size() != 1 || !module.shapes.is_array(operand) || module.shapes.has_dynamic(operand) ||
      module.shapes.type(edit.inst(id).shape) != ElementType::kS32) {
    return {};
  }
  const auto size = static_cast<int32_t>(module.shapes.dims(operand)[static_cast<size_t>(dims[0])]);
  uint8_t bits[sizeof size];
  std::memcpy(bits, &size, sizeof size);
  return edit.AddConstant(edit.inst(id).parent, edit.inst(id).shape, bits, id);
}

}  // namespace

InstId SimplifyStructure(ModuleEditor& edit, InstId id) {
  switch (edit.inst(id).opcode) {
    case Opcode::kGetTupleElement: {
      const InstId tuple = edit.operand(id, 0);
      if (edit.inst(tuple).opcode != Opcode::kTuple) return {};
      const int64_t index = edit.module().IntOr(edit.inst(id).attrs, AttrKey::k_index, 0);
      return edit.operand(tuple, static_cast<size_t>(index));
    }
    case Opcode::kTuple: return WholeTuple(edit, id);
    case Opcode::kCopy: return SimplifyCopy(edit, id);
    case Opcode::kBitcast: return SimplifyBitcast(edit, id);
    case Opcode::kConditional: return SimplifyConditional(edit, id);
    case Opcode::kGetDimensionSize: return SimplifyDimensionSize(edit, id);
    default: return {};
  }
}

}  // namespace halo
