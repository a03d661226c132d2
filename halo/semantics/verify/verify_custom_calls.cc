// What is known of custom calls without knowing their target: operands whose layouts are fixed are
// listed with layouts, and pinned buffers go in and come out in pairs.
#include "halo/ir/op_properties.h"
#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

bool HasLayouts(const ShapeTable& shapes, ShapeId shape) {
  if (shapes.is_tuple(shape)) {
    for (const ShapeId each : shapes.elements(shape)) {
      if (!HasLayouts(shapes, each)) return false;
    }
    return true;
  }
  return !shapes.is_array(shape) || shapes.layout(shape) != nullptr || shapes.dims(shape).empty();
}

void VerifyConstraints(RuleContext& op, std::string_view target) {
  const Attr* attr = op.module().Find(op.inst(), AttrKey::k_operand_layout_constraints);
  if (attr == nullptr || target == "LayoutConstraint" || target == "control_dep") return;
  const auto constraints = op.module().list(attr->value);
  if (constraints.size() != op.operand_count()) {
    op.Report(Rule::kLayoutConstraints, "operand_layout_constraints lists ", constraints.size(),
              " of ", op.operand_count(), " operands");
    return;
  }
  for (size_t i = 0; i < constraints.size(); ++i) {
    const ShapeId shape(static_cast<uint32_t>(constraints[i]));
    if (SameShape(op.shapes(), shape, op.operand(i)) && HasLayouts(op.shapes(), shape)) continue;
    op.Report(Rule::kLayoutConstraints, "operand_layout_constraints has ", op.shapes().Text(shape),
              " for operand ", i, ", which is ", op.OperandText(i));
    return;
  }
}

bool HoldsBuffer(const ShapeTable& shapes, ShapeId shape) {
  if (shapes.is_buffer(shape)) return true;
  if (!shapes.is_tuple(shape)) return false;
  for (const ShapeId each : shapes.elements(shape)) {
    if (HoldsBuffer(shapes, each)) return true;
  }
  return false;
}

void VerifyPinning(RuleContext& op, std::string_view target) {
  const ShapeTable& shapes = op.shapes();
  bool ok = true;
  if (target == "Pin") {
    ok = op.operand_count() == 1 && op.is_array(0) && shapes.is_buffer(op.shape()) &&
         SameShape(shapes, op.operand(0), shapes.buffer_inner(op.shape()));
  } else if (target == "Unpin") {
    ok = op.operand_count() == 1 && shapes.is_buffer(op.operand(0)) &&
         shapes.is_array(op.shape()) &&
         SameShape(shapes, shapes.buffer_inner(op.operand(0)), op.shape());
  } else if (target == "CreateBuffer") {
    ok = op.operand_count() == 0 && shapes.is_buffer(op.shape());
  }
  if (ok) return;
  op.Report(Rule::kPinnedBuffer, target, " of ", op.operand_count(), " operands gives ",
            op.Text(op.shape()));
}

}  // namespace

void VerifyCustomCalls(ModuleContext& context) {
  const Module& module = context.module();
  context.ForEachInst([&](InstId id, const Inst& inst) {
    RuleContext op = context.op(id);
    const bool entry_parameter = inst.opcode == Opcode::kParameter && inst.parent == module.entry;
    if ((entry_parameter || !HasFlag(inst.opcode, kHoldsPinned)) &&
        HoldsBuffer(module.shapes, inst.shape) && !context.facts().comp(inst.parent).is_async) {
      op.Report(Rule::kBufferHolder, op.opcode_text(), " cannot give ", op.Text(inst.shape));
    }
    if (inst.opcode != Opcode::kCustomCall) return;
    const std::string_view target = op.text_or(AttrKey::k_custom_call_target);
    VerifyConstraints(op, target);
    VerifyPinning(op, target);
    if (target == "GetRngSeed" &&
        (op.operand_count() != 0 ||
         !SameShape(module.shapes, inst.shape, ShapeValue::Scalar(ElementType::kU64)))) {
      op.Report(Rule::kRngSeed, "GetRngSeed of ", op.operand_count(), " operands gives ",
                op.Text(inst.shape));
    }
  });
}

}  // namespace halo
