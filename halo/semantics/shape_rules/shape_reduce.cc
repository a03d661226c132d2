// Shapes of operations that apply a computation over dimensions or windows: reduce, reduce-window,
// select-and-scatter, map, sort, scan, topk.
#include <algorithm>
#include <vector>

#include "halo/ir/attributes/window.h"
#include "halo/semantics/rules/reducer.h"
#include "halo/semantics/rules/window_bounds.h"
#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

using Dims = std::span<const int64_t>;

bool NeedEven(RuleContext& op) {
  if (op.operand_count() >= 2 && op.operand_count() % 2 == 0) return true;
  op.Report(Rule::kOperandCount, op.opcode_text(),
            " takes values and as many initial values; it has ", op.operand_count(), " operands");
  return false;
}

// Checks that the first `count` operands have the same dimensions.
bool NeedAlike(RuleContext& op, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!op.NeedArray(i)) return false;
    if (SameDims(op.dims(0), op.dims(i))) continue;
    op.Report(Rule::kOperandDims, "operand 0 is ", op.OperandText(0), ", operand ", i, " ",
              op.OperandText(i));
    return false;
  }
  return true;
}

std::vector<ElementType> Types(const RuleContext& op, size_t begin, size_t end) {
  std::vector<ElementType> types;
  for (size_t i = begin; i < end; ++i) types.push_back(op.type(i));
  return types;
}

bool NeedScalars(RuleContext& op, size_t begin) {
  for (size_t i = begin; i < op.operand_count(); ++i) {
    if (IsScalar(op.shapes(), op.operand(i))) continue;
    op.Report(Rule::kInitialValue, "initial value ", op.OperandText(i), " is no scalar");
    return false;
  }
  return true;
}

Inferred OneOrTuple(std::vector<ShapeValue> values) {
  if (values.size() == 1) return std::move(values[0]);
  return ShapeValue::Tuple(std::move(values));
}

bool NeedPredicate(RuleContext& op, CompId comp) {
  if (SameShape(op.shapes(), op.result_shape(comp), ShapeValue::Scalar(ElementType::kPred))) {
    return true;
  }
  op.Report(Rule::kPredicateResult, "computation ", op.CompName(comp), " gives ",
            op.Text(op.result_shape(comp)), ", not pred[]");
  return false;
}

// Checks that a parameter of the computation is a scalar of the operand's type.
bool NeedElementParameter(RuleContext& op, CompId comp, size_t parameter, size_t operand) {
  const ShapeId shape = op.parameter_shape(comp, parameter);
  if (SameShape(op.shapes(), shape, ShapeValue::Scalar(op.type(operand)), Precision::kAnyFloat)) {
    return true;
  }
  op.Report(Rule::kAppliedParameter, "parameter ", parameter, " of computation ", op.CompName(comp),
            " is ", op.Text(shape), "; it is applied to elements of ", op.OperandText(operand));
  return false;
}

bool NeedParameterCount(RuleContext& op, CompId comp, size_t count) {
  if (op.parameters(comp).size() == count) return true;
  op.Report(Rule::kParameterCount, "computation ", op.CompName(comp), " takes ",
            op.parameters(comp).size(), " parameters, not ", count);
  return false;
}

}  // namespace

Inferred InferReduce(RuleContext& op) {
  if (!NeedEven(op)) return std::nullopt;
  const size_t count = op.operand_count() / 2;
  const Dims reduced = op.ints(AttrKey::k_dimensions);
  if (!NeedAlike(op, count) || !NeedScalars(op, count) ||
      !op.NeedDims(AttrKey::k_dimensions, reduced, op.dims(0).size())) {
    return std::nullopt;
  }
  const auto reducer = op.called(AttrKey::k_to_apply);
  if (!reducer) return std::nullopt;
  if (!NeedReducer(op, *reducer, Types(op, count, 2 * count), Types(op, 0, count))) {
    return std::nullopt;
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i < op.dims(0).size(); ++i) {
    if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(i)) == reduced.end()) {
      dims.push_back(op.dims(0)[i]);
    }
  }
  std::vector<ShapeValue> values;
  for (const ShapeId each : ReducerResults(op, *reducer, count)) {
    values.push_back(ShapeValue::Array(op.shapes().type(each), dims));
  }
  // If the reducer yields a tuple of one element, so does the reduction.
  if (op.shapes().is_tuple(op.result_shape(*reducer))) return ShapeValue::Tuple(std::move(values));
  return OneOrTuple(std::move(values));
}

Inferred InferReduceWindow(RuleContext& op) {
  if (!NeedEven(op)) return std::nullopt;
  const size_t count = op.operand_count() / 2;
  if (!NeedAlike(op, count) || !NeedScalars(op, count)) return std::nullopt;
  const auto reducer = op.called(AttrKey::k_to_apply);
  if (reducer && !NeedReducer(op, *reducer, Types(op, count, 2 * count), Types(op, 0, count))) {
    return std::nullopt;
  }
  const auto dims = WindowedDims(op, op.dims(0), DecodeWindow(op.ints(AttrKey::k_window)));
  if (!dims) return std::nullopt;
  std::vector<ShapeValue> values;
  for (size_t i = 0; i < count; ++i) values.push_back(ShapeValue::Array(op.type(count + i), *dims));
  if (reducer && op.shapes().is_tuple(op.result_shape(*reducer))) {
    return ShapeValue::Tuple(std::move(values));
  }
  return OneOrTuple(std::move(values));
}

Inferred InferSelectAndScatter(RuleContext& op) {
  if (!op.NeedArrays() || !NeedScalars(op, 2)) return std::nullopt;
  const auto select = op.called(AttrKey::k_select);
  const auto scatter = op.called(AttrKey::k_scatter);
  if (select &&
      (!NeedParameterCount(op, *select, 2) || !NeedPredicate(op, *select) ||
       !NeedElementParameter(op, *select, 0, 0) || !NeedElementParameter(op, *select, 1, 0))) {
    return std::nullopt;
  }
  if (scatter && !NeedReducer(op, *scatter, Types(op, 2, 3), Types(op, 1, 2))) return std::nullopt;
  const auto dims = WindowedDims(op, op.dims(0), DecodeWindow(op.ints(AttrKey::k_window)));
  if (!dims) return std::nullopt;
  const ShapeValue expected = ShapeValue::Array(op.type(0), *dims);
  if (!SameShape(op.shapes(), op.operand(1), expected, Precision::kAnyFloat)) {
    return op.Fail(Rule::kSelectAndScatterSource, "the source is ", op.OperandText(1),
                   ", the windows over ", op.OperandText(0), " make ",
                   TextOf(op.shapes(), expected));
  }
  return ShapeValue::Same(op.operand(0));
}

Inferred InferMap(RuleContext& op) {
  if (op.operand_count() == 0) return op.Fail(Rule::kOperandCount, "map has no operands");
  if (!NeedAlike(op, op.operand_count())) return std::nullopt;
  const auto comp = op.called(AttrKey::k_to_apply);
  if (!comp) return std::nullopt;
  if (!NeedParameterCount(op, *comp, op.operand_count())) return std::nullopt;
  const ShapeId result = op.result_shape(*comp);
  if (!IsScalar(op.shapes(), result)) {
    return op.Fail(Rule::kReducerResult, "computation ", op.CompName(*comp), " gives ",
                   op.Text(result), ", not a scalar");
  }
  for (size_t i = 0; i < op.operand_count(); ++i) {
    if (!NeedElementParameter(op, *comp, i, i)) return std::nullopt;
  }
  return ShapeValue::Array(op.shapes().type(result), op.dims(0));
}

Inferred InferSort(RuleContext& op) {
  if (op.operand_count() == 0) return op.Fail(Rule::kOperandCount, "sort has no operands");
  if (!NeedAlike(op, op.operand_count())) return std::nullopt;
  const Dims sorted = op.ints(AttrKey::k_dimensions);
  if (sorted.size() != 1) {
    return op.Fail(Rule::kOneDimension, "sort takes one dimension, not ", ListText(sorted));
  }
  if (!op.NeedDims(AttrKey::k_dimensions, sorted, op.dims(0).size())) return std::nullopt;
  const auto compare = op.called(AttrKey::k_to_apply);
  if (compare) {
    if (!NeedPredicate(op, *compare) || !NeedParameterCount(op, *compare, 2 * op.operand_count())) {
      return std::nullopt;
    }
    for (size_t i = 0; i < 2 * op.operand_count(); ++i) {
      if (!NeedElementParameter(op, *compare, i, i / 2)) return std::nullopt;
    }
  }
  std::vector<ShapeValue> values;
  for (size_t i = 0; i < op.operand_count(); ++i) values.push_back(ShapeValue::Same(op.operand(i)));
  return OneOrTuple(std::move(values));
}

Inferred InferTopK(RuleContext& op) {
  if (!op.NeedArray(0)) return std::nullopt;
  const int64_t k = op.int_or(AttrKey::k_k, 0);
  std::vector<int64_t> dims(op.dims(0).begin(), op.dims(0).end());
  if (dims.empty() || k < 0 || k > dims.back()) {
    return op.Fail(Rule::kTopKSize, "k=", k, " of the last dimension of ", op.OperandText(0));
  }
  dims.back() = k;
  std::vector<ShapeValue> values;
  values.push_back(ShapeValue::Array(op.type(0), dims));
  values.push_back(ShapeValue::Array(ElementType::kS32, dims));
  return ShapeValue::Tuple(std::move(values));
}

}  // namespace halo
