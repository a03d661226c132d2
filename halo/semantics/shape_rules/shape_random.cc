// Shapes of random numbers, constants and device ids.
#include <vector>

#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {

Inferred InferRng(RuleContext& op) {
  if (op.operand_count() != 2) {
    return op.Fail(Rule::kOperandCount, "rng takes two operands, not ", op.operand_count());
  }
  const ShapeTable& shapes = op.shapes();
  const bool normal = op.text_or(AttrKey::k_distribution) == "rng_normal";
  const ElementType type = op.type(0);
  if (!IsScalar(shapes, op.operand(0)) || !IsScalar(shapes, op.operand(1)) ||
      op.type(0) != op.type(1) || !shapes.is_array(op.shape()) ||
      !SameType(type, shapes.type(op.shape()), Precision::kAnyFloat)) {
    return op.Fail(Rule::kRngOperands, "operands ", op.OperandText(0), " and ", op.OperandText(1),
                   " must be scalars of the result's type ", op.Text(op.shape()));
  }
  if (IsComplex(type) || (normal && !IsFloat(type))) {
    return op.Fail(Rule::kElementType, op.text_or(AttrKey::k_distribution), " does not draw ",
                   TextOf(type));
  }
  return std::nullopt;
}

Inferred InferRngBitGenerator(RuleContext& op) {
  const ShapeTable& shapes = op.shapes();
  if (!shapes.is_tuple(op.shape())) return std::nullopt;
  const auto elements = shapes.elements(op.shape());
  if (elements.size() != 2 || !SameShape(shapes, elements[0], op.operand(0))) {
    return op.Fail(Rule::kRngState, "rng-bit-generator gives the new state ", op.OperandText(0),
                   " and the bits, not ", op.Text(op.shape()));
  }
  return std::nullopt;
}

Inferred InferRngState(RuleContext& op) {
  const int64_t two = 2;
  (void)op;
  return ShapeValue::Array(ElementType::kU64, {&two, 1});
}

Inferred InferDeviceId(RuleContext& op) {
  (void)op;
  return ShapeValue::Scalar(ElementType::kU32);
}

Inferred InferConstant(RuleContext& op) {
  const LiteralId literal(op.inst().extra);
  if (literal.index() >= op.module().literals.size()) {
    return op.Fail(Rule::kConstantValue, "the constant has no value");
  }
  return ShapeValue::Same(op.module().literals.shape(literal));
}

Inferred InferParameter(RuleContext& op) {
  (void)op;
  return std::nullopt;
}

Inferred InferNothing(RuleContext& op) {
  (void)op;
  return std::nullopt;
}

}  // namespace halo
