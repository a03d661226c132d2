// Shapes of tuples and of instructions that call computations: call, while, conditional, fusion.
#include <vector>

#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

bool NeedGivenParameters(RuleContext& op, CompId comp, size_t count) {
  if (op.parameters(comp).size() == count) return true;
  op.Report(Rule::kParameterCount, "computation ", op.CompName(comp), " takes ",
            op.parameters(comp).size(), " parameters, ", op.opcode_text(), " gives ", count);
  return false;
}

bool NeedParameter(RuleContext& op, CompId comp, size_t parameter, size_t operand) {
  const ShapeId shape = op.parameter_shape(comp, parameter);
  if (SameShape(op.shapes(), op.operand(operand), shape)) return true;
  op.Report(Rule::kParameterShape, "parameter ", parameter, " of computation ", op.CompName(comp),
            " is ", op.Text(shape), ", operand ", operand, " ", op.OperandText(operand));
  return false;
}

std::vector<std::optional<CompId>> Branches(const RuleContext& op) {
  std::vector<std::optional<CompId>> branches;
  if (op.has(AttrKey::k_true_computation) || op.has(AttrKey::k_false_computation)) {
    branches.push_back(op.called(AttrKey::k_true_computation));
    branches.push_back(op.called(AttrKey::k_false_computation));
    return branches;
  }
  const size_t count = op.called_count(AttrKey::k_branch_computations);
  for (size_t i = 0; i < count; ++i) {
    branches.push_back(op.called(AttrKey::k_branch_computations, i));
  }
  return branches;
}

bool NeedBranch(RuleContext& op, size_t branch, CompId comp) {
  if (!NeedGivenParameters(op, comp, 1) || !NeedParameter(op, comp, 0, branch + 1)) return false;
  if (SameShape(op.shapes(), op.shape(), op.result_shape(comp))) return true;
  op.Report(Rule::kBranchResult, "branch ", branch, " gives ", op.Text(op.result_shape(comp)),
            ", the conditional is ", op.Text(op.shape()));
  return false;
}

}  // namespace

Inferred InferTuple(RuleContext& op) {
  std::vector<ShapeValue> elements;
  elements.reserve(op.operand_count());
  for (size_t i = 0; i < op.operand_count(); ++i) {
    elements.push_back(ShapeValue::Same(op.operand(i)));
  }
  return ShapeValue::Tuple(std::move(elements));
}

Inferred InferGetTupleElement(RuleContext& op) {
  const int64_t index = op.int_or(AttrKey::k_index, 0);
  if (!op.shapes().is_tuple(op.operand(0))) {
    return op.Fail(Rule::kTupleOperand, "operand 0 is ", op.OperandText(0), ", not a tuple");
  }
  const auto elements = op.shapes().elements(op.operand(0));
  if (index < 0 || index >= static_cast<int64_t>(elements.size())) {
    return op.Fail(Rule::kTupleIndex, "index=", index, " of a tuple of ", elements.size());
  }
  return ShapeValue::Same(elements[static_cast<size_t>(index)]);
}

Inferred InferOperand(RuleContext& op) { return ShapeValue::Same(op.operand(0)); }

Inferred InferTupleSelect(RuleContext& op) { return ShapeValue::Same(op.operand(1)); }

Inferred InferCall(RuleContext& op) {
  const auto comp = op.called(AttrKey::k_to_apply);
  if (!comp) return std::nullopt;
  if (!NeedGivenParameters(op, *comp, op.operand_count())) return std::nullopt;
  for (size_t i = 0; i < op.operand_count(); ++i) {
    if (!NeedParameter(op, *comp, i, i)) return std::nullopt;
  }
  return ShapeValue::Same(op.result_shape(*comp));
}

Inferred InferWhile(RuleContext& op) {
  const auto condition = op.called(AttrKey::k_condition);
  const auto body = op.called(AttrKey::k_body);
  for (const auto& comp : {body, condition}) {
    if (comp && (!NeedGivenParameters(op, *comp, 1) || !NeedParameter(op, *comp, 0, 0))) {
      return std::nullopt;
    }
  }
  if (condition && !SameShape(op.shapes(), op.result_shape(*condition),
                              ShapeValue::Scalar(ElementType::kPred))) {
    return op.Fail(Rule::kPredicateResult, "condition ", op.CompName(*condition), " gives ",
                   op.Text(op.result_shape(*condition)), ", not pred[]");
  }
  if (!body) return std::nullopt;
  return ShapeValue::Same(op.result_shape(*body));
}

Inferred InferConditional(RuleContext& op) {
  if (op.operand_count() == 0) {
    return op.Fail(Rule::kOperandCount, "conditional has no operands");
  }
  const auto branches = Branches(op);
  const ElementType type = op.type(0);
  if (!IsScalar(op.shapes(), op.operand(0)) ||
      (type != ElementType::kPred && type != ElementType::kS32)) {
    return op.Fail(Rule::kBranchIndex, "the branch is chosen by ", op.OperandText(0),
                   ", not by pred[] or s32[]");
  }
  if (branches.empty() || (type == ElementType::kPred && branches.size() != 2) ||
      op.operand_count() != branches.size() + 1) {
    return op.Fail(Rule::kBranchCount, branches.size(), " branches chosen by ", TextOf(type),
                   ", with ", op.operand_count() - 1, " operands for them");
  }
  for (size_t i = 0; i < branches.size(); ++i) {
    if (branches[i] && !NeedBranch(op, i, *branches[i])) return std::nullopt;
  }
  return std::nullopt;
}

Inferred InferFusion(RuleContext& op) {
  const size_t count = op.called_count(AttrKey::k_calls);
  if (count > 1) return op.Fail(Rule::kFusionCalls, "fusion calls ", count, " computations");
  const auto comp = op.called(AttrKey::k_calls);
  if (!comp) return std::nullopt;
  if (op.parameters(*comp).size() > op.operand_count()) {
    NeedGivenParameters(op, *comp, op.operand_count());
    return std::nullopt;
  }
  for (size_t i = 0; i < op.parameters(*comp).size(); ++i) {
    if (!NeedParameter(op, *comp, i, i)) return std::nullopt;
  }
  if (!SameShape(op.shapes(), op.shape(), op.result_shape(*comp))) {
    return op.Fail(Rule::kFusionResult, "computation ", op.CompName(*comp), " gives ",
                   op.Text(op.result_shape(*comp)), ", the fusion is ", op.Text(op.shape()));
  }
  return std::nullopt;
}

}  // namespace halo
