// Simplifies elementwise ops: identity operands, repeated conversions, operands that are splats.
#include <algorithm>
#include <vector>

#include "halo/passes/rewrite/constants.h"
#include "halo/passes/simplify/simplify_rules.h"

namespace halo {
namespace {

struct FloatFormat {
  int exponent, mantissa;
};

// Formats with infinities and gradual underflow, which nest within each other.
std::optional<FloatFormat> FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF8E5M2: return FloatFormat{5, 2};
    case ElementType::kF16: return FloatFormat{5, 10};
    case ElementType::kBF16: return FloatFormat{8, 7};
    case ElementType::kF32: return FloatFormat{8, 23};
    case ElementType::kF64: return FloatFormat{11, 52};
    default: return std::nullopt;
  }
}

InstId RightNeutral(ModuleEditor& edit, InstId id) {
  const Opcode opcode = edit.inst(id).opcode;
  const std::optional<Splat> right = SplatOf(edit, edit.operand(id, 1));
  if (!right) return {};
  const bool is_float = InfoOf(right->type).klass == ElementClass::kFloat;
  bool neutral = false;
  switch (opcode) {
    case Opcode::kAdd: neutral = IsNumber(*right, is_float ? -0.0 : 0.0); break;
    case Opcode::kSubtract: neutral = IsNumber(*right, 0.0); break;
    case Opcode::kMultiply:
    case Opcode::kDivide: neutral = IsNumber(*right, 1.0); break;
    case Opcode::kAnd: neutral = IsAllOnes(*right); break;
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: neutral = IntegerOf(*right) == 0; break;
    default: break;
  }
  return neutral ? edit.operand(id, 0) : InstId();
}

InstId LeftNeutral(ModuleEditor& edit, InstId id) {
  const Opcode opcode = edit.inst(id).opcode;
  const std::optional<Splat> left = SplatOf(edit, edit.operand(id, 0));
  if (!left) return {};
  const bool is_float = InfoOf(left->type).klass == ElementClass::kFloat;
  bool neutral = false;
  switch (opcode) {
    case Opcode::kAdd: neutral = IsNumber(*left, is_float ? -0.0 : 0.0); break;
    case Opcode::kMultiply: neutral = IsNumber(*left, 1.0); break;
    case Opcode::kAnd: neutral = IsAllOnes(*left); break;
    case Opcode::kOr:
    case Opcode::kXor: neutral = IntegerOf(*left) == 0; break;
    default: break;
  }
  return neutral ? edit.operand(id, 1) : InstId();
}

InstId SimplifySelect(ModuleEditor& edit, InstId id) {
  if (edit.operand(id, 1) == edit.operand(id, 2)) return edit.operand(id, 1);
  const std::optional<Splat> chosen = SplatOf(edit, edit.operand(id, 0));
  if (!chosen || chosen->type != ElementType::kPred) return {};
  return edit.operand(id, chosen->bits[0] != 0 ? 1 : 2);
}

InstId SimplifyConvert(ModuleEditor& edit, InstId id) {
  const ShapeTable& shapes = edit.module().shapes;
  const ElementType to = shapes.type(edit.inst(id).shape);
  const InstId operand = edit.operand(id, 0);
  const ElementType between = shapes.type(edit.inst(operand).shape);
  if (between == to) return operand;
  if (edit.inst(operand).opcode != Opcode::kConvert) return {};
  const InstId source = edit.operand(operand, 0);
  const ElementType from = shapes.type(edit.inst(source).shape);
  if (!ConvertIsExact(from, between)) return {};
  // Floats saturate where integers wrap around.
  const bool by_float = InfoOf(between).klass == ElementClass::kFloat;
  if (by_float && IsIntegerType(from) && IsIntegerType(to) && !ConvertIsExact(from, to)) return {};
  if (from == to) return source;
  return edit.Add(edit.inst(id).parent, Opcode::kConvert, edit.inst(id).shape, {source}, {}, id);
}

// x to the power of 2 is x times x: both round the exact square once.
InstId SimplifyPower(ModuleEditor& edit, InstId id) {
  const std::optional<Splat> exponent = SplatOf(edit, edit.operand(id, 1));
  const ElementType type = edit.module().shapes.type(edit.inst(id).shape);
  const bool narrow =
      type == ElementType::kF32 || type == ElementType::kBF16 || type == ElementType::kF16;
  if (!exponent || !narrow || !IsNumber(*exponent, 2.0)) return {};
  const InstId base = edit.operand(id, 0);
  return edit.Add(edit.inst(id).parent, Opcode::kMultiply, edit.inst(id).shape, {base, base}, {},
                  id);
}

// An op on broadcast scalars is the broadcast of the op on the scalars.
InstId HoistFromBroadcasts(ModuleEditor& edit, InstId id) {
  const Inst inst = edit.inst(id);
  ShapeTable& shapes = edit.tables().shapes;
  if (inst.operand_count == 0 || shapes.dims(inst.shape).empty()) return {};
  if (inst.opcode == Opcode::kBitcastConvert) return {};  // may add a dimension
  std::vector<InstId> scalars;
  for (const InstId operand : edit.operands(id)) {
    const Inst& source = edit.inst(operand);
    const bool is_scalar = shapes.dims(source.shape).empty();
    if (!is_scalar && source.opcode != Opcode::kBroadcast) return {};
    const InstId scalar = is_scalar ? operand : edit.operand(operand, 0);
    if (!shapes.dims(edit.inst(scalar).shape).empty()) return {};
    scalars.push_back(scalar);
  }
  const ShapeId shape = DenseShape(shapes, shapes.type(inst.shape), {});
  const InstId scalar = edit.Clone(id, inst.parent, scalars);
  edit.SetShape(scalar, shape);
  edit.RemoveAttr(scalar, AttrKey::k_sharding);
  const Attr dims = edit.tables().MakeInts(AttrKey::k_dimensions, {});
  return edit.Add(inst.parent, Opcode::kBroadcast, inst.shape, {scalar}, {&dims, 1}, id);
}

}  // namespace

bool ConvertIsExact(ElementType from, ElementType to) {
  if (from == to) return true;
  const ElementTypeInfo& a = InfoOf(from);
  const ElementTypeInfo& b = InfoOf(to);
  const std::optional<FloatFormat> fa = FormatOf(from);
  const std::optional<FloatFormat> fb = FormatOf(to);
  if (a.klass == ElementClass::kFloat) {
    return fa && fb && fa->exponent <= fb->exponent && fa->mantissa <= fb->mantissa;
  }
  const bool from_integer = IsIntegerType(from) || from == ElementType::kPred;
  if (!from_integer) return false;
  const int value_bits = from == ElementType::kPred         ? 1
                         : a.klass == ElementClass::kSigned ? a.bits - 1
                                                            : a.bits;
  if (b.klass == ElementClass::kFloat) {
    return fb && fb->exponent >= 8 && value_bits <= fb->mantissa + 1;
  }
  if (b.klass == ElementClass::kSigned) return value_bits <= b.bits - 1;
  return b.klass == ElementClass::kUnsigned && a.klass != ElementClass::kSigned &&
         value_bits <= b.bits;
}

InstId SimplifyArithmetic(ModuleEditor& edit, InstId id) {
  const Inst& inst = edit.inst(id);
  if (!HasTrait(inst.opcode, kElementwise) || !edit.module().shapes.is_array(inst.shape)) return {};
  switch (inst.opcode) {
    case Opcode::kCopy: return {};
    case Opcode::kSelect:
      if (const InstId simple = SimplifySelect(edit, id); simple.valid()) return simple;
      break;
    case Opcode::kConvert:
      if (const InstId simple = SimplifyConvert(edit, id); simple.valid()) return simple;
      break;
    case Opcode::kPower:
      if (const InstId simple = SimplifyPower(edit, id); simple.valid()) return simple;
      break;
    case Opcode::kNegate:
    case Opcode::kNot: {
      const InstId operand = edit.operand(id, 0);
      if (edit.inst(operand).opcode == inst.opcode) return edit.operand(operand, 0);
      break;
    }
    default: break;
  }
  if (inst.operand_count == 2) {
    if (const InstId simple = RightNeutral(edit, id); simple.valid()) return simple;
    if (const InstId simple = LeftNeutral(edit, id); simple.valid()) return simple;
  }
  return HoistFromBroadcasts(edit, id);
}

}  // namespace halo
