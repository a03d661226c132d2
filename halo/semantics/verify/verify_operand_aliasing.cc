// output_to_operand_aliasing: the parts that an instruction's result shares with its operands must
// exist and have the same shape.
#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/frontend_attributes.h"
#include "halo/semantics/facts/shape_index.h"
#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

// A pinned buffer and the array in it are the same memory.
ShapeId WithoutBuffer(const ShapeTable& shapes, ShapeId shape) {
  return shapes.is_buffer(shape) ? shapes.buffer_inner(shape) : shape;
}

void VerifyEntry(RuleContext& op, const AliasEntry& entry) {
  const auto number = static_cast<size_t>(entry.number);
  if (entry.number < 0 || number >= op.operand_count()) {
    op.Report(Rule::kOperandAliasing, "output_to_operand_aliasing names operand ", entry.number,
              " of ", op.operand_count());
    return;
  }
  const ShapeTable& shapes = op.shapes();
  const auto input = Subshape(shapes, op.operand(number), entry.input_index);
  const auto output = Subshape(shapes, op.shape(), entry.output_index);
  if (!input || !output) {
    op.Report(Rule::kOperandAliasing, "output_to_operand_aliasing names ",
              ListText(input ? entry.output_index : entry.input_index), " of ",
              op.Text(input ? op.shape() : op.operand(number)));
    return;
  }
  if (FrontendAttribute(op.module(), op.inst().attrs, "xla_skip_custom_call_alias_shape_check"))
    return;
  const bool loose = op.opcode() != Opcode::kFusion;
  const ShapeId left = loose ? WithoutBuffer(shapes, *input) : *input;
  const ShapeId right = loose ? WithoutBuffer(shapes, *output) : *output;
  if (SameShape(shapes, left, right)) return;
  op.Report(Rule::kOperandAliasingShape, "output ", ListText(entry.output_index), " is ",
            op.Text(*output), ", what it shares of operand ", entry.number, " ", op.Text(*input));
}

}  // namespace

void VerifyOperandAliasing(ModuleContext& context) {
  context.ForEachInst([&](InstId id, const Inst& inst) {
    if (inst.opcode != Opcode::kFusion && inst.opcode != Opcode::kCustomCall &&
        inst.opcode != Opcode::kAsyncStart) {
      return;
    }
    RuleContext op = context.op(id);
    for (const AliasEntry& entry : DecodeAliases(op.ints(AttrKey::k_output_to_operand_aliasing))) {
      VerifyEntry(op, entry);
    }
  });
}

}  // namespace halo
