// Shapes of transfers to and from a device: infeed, outfeed, send and recv, background copies, and
// of tokens, which order such effects.
#include <vector>

#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

bool NeedToken(RuleContext& op, size_t operand) {
  if (op.type(operand) == ElementType::kToken) return true;
  op.Report(Rule::kTokenOperand, "operand ", operand, " is ", op.OperandText(operand),
            ", not a token");
  return false;
}

ShapeValue InFlight(ShapeId data) {
  std::vector<ShapeValue> values;
  values.push_back(ShapeValue::Same(data));
  values.push_back(ShapeValue::Scalar(ElementType::kU32));
  values.push_back(ShapeValue::Token());
  return ShapeValue::Tuple(std::move(values));
}

// Returns element `i` of the tuple operand 0; nothing after a report.
std::optional<ShapeId> TupleElement(RuleContext& op, size_t i) {
  if (op.shapes().is_tuple(op.operand(0))) {
    const auto elements = op.shapes().elements(op.operand(0));
    if (i < elements.size()) return elements[i];
  }
  return op.Fail(Rule::kAsyncOperandShape, op.opcode_text(), " takes what its start gives, not ",
                 op.OperandText(0));
}

}  // namespace

Inferred InferInfeed(RuleContext& op) {
  if (!NeedToken(op, 0)) return std::nullopt;
  const ShapeTable& shapes = op.shapes();
  if (!shapes.is_tuple(op.shape()) || shapes.elements(op.shape()).size() != 2 ||
      shapes.type(shapes.elements(op.shape())[1]) != ElementType::kToken) {
    return op.Fail(Rule::kInfeedShape, "infeed gives data and a token, not ", op.Text(op.shape()));
  }
  return std::nullopt;
}

Inferred InferOutfeed(RuleContext& op) {
  if (!NeedToken(op, 1)) return std::nullopt;
  const Attr* attr = op.module().Find(op.inst(), AttrKey::k_outfeed_shape);
  if (attr != nullptr) {
    const ShapeId declared(attr->value);
    if (!SameShape(op.shapes(), declared, op.operand(0))) {
      return op.Fail(Rule::kOutfeedShape, "outfeed_shape=", op.Text(declared), ", the operand is ",
                     op.OperandText(0));
    }
  }
  return ShapeValue::Token();
}

Inferred InferSend(RuleContext& op) {
  if (!NeedToken(op, 1)) return std::nullopt;
  return InFlight(op.operand(0));
}

Inferred InferSendDone(RuleContext& op) {
  (void)op;
  return ShapeValue::Token();
}

Inferred InferRecv(RuleContext& op) {
  const ShapeTable& shapes = op.shapes();
  if (!shapes.is_tuple(op.shape()) || shapes.elements(op.shape()).empty()) {
    return op.Fail(Rule::kRecvShape, "recv gives data, an id and a token, not ",
                   op.Text(op.shape()));
  }
  return InFlight(shapes.elements(op.shape())[0]);
}

Inferred InferRecvDone(RuleContext& op) {
  const auto data = TupleElement(op, 0);
  if (!data) return std::nullopt;
  std::vector<ShapeValue> values;
  values.push_back(ShapeValue::Same(*data));
  values.push_back(ShapeValue::Token());
  return ShapeValue::Tuple(std::move(values));
}

Inferred InferCopyStart(RuleContext& op) {
  std::vector<ShapeValue> values;
  values.push_back(ShapeValue::Same(op.operand(0)));
  values.push_back(ShapeValue::Same(op.operand(0)));
  values.push_back(ShapeValue::Scalar(ElementType::kU32));
  return ShapeValue::Tuple(std::move(values));
}

Inferred InferCopyDone(RuleContext& op) {
  const auto destination = TupleElement(op, 0);
  const auto source = destination ? TupleElement(op, 1) : std::nullopt;
  if (!source) return std::nullopt;
  if (!SameShape(op.shapes(), *destination, *source)) {
    return op.Fail(Rule::kAsyncOperandShape, "copy-done takes a copy of ", op.Text(*source), " to ",
                   op.Text(*destination));
  }
  return ShapeValue::Same(*destination);
}

// Operands may be arrays: XLA's TPU compiler waits for them this way.
Inferred InferAfterAll(RuleContext& op) {
  (void)op;
  return ShapeValue::Token();
}

Inferred InferAddDependency(RuleContext& op) {
  if (!NeedToken(op, 1)) return std::nullopt;
  return ShapeValue::Same(op.operand(0));
}

}  // namespace halo
