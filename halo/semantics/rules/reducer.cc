// Checks the signatures of reducing computations.
#include "halo/semantics/rules/reducer.h"

namespace halo {

std::vector<ShapeId> ReducerResults(RuleContext& op, CompId reducer, size_t values) {
  const ShapeId result = op.result_shape(reducer);
  std::vector<ShapeId> results;
  if (op.shapes().is_array(result)) {
    results.push_back(result);
  } else if (op.shapes().is_tuple(result)) {
    const auto elements = op.shapes().elements(result);
    results.assign(elements.begin(), elements.end());
  }
  bool scalars = results.size() == values;
  for (const ShapeId each : results) scalars = scalars && IsScalar(op.shapes(), each);
  if (scalars) return results;
  op.Report(Rule::kReducerResult, "computation ", op.CompName(reducer), " gives ", op.Text(result),
            ", not a scalar for each of ", values, " values");
  return {};
}

bool NeedReducer(RuleContext& op, CompId reducer, std::span<const ElementType> init,
                 std::span<const ElementType> inputs) {
  const size_t values = init.size();
  const auto parameters = op.parameters(reducer);
  if (parameters.size() != 2 * values) {
    op.Report(Rule::kReducerParameters, "computation ", op.CompName(reducer), " takes ",
              parameters.size(), " parameters, not ", 2 * values);
    return false;
  }
  const std::vector<ShapeId> results = ReducerResults(op, reducer, values);
  if (results.empty()) return false;
  const ShapeTable& shapes = op.shapes();
  for (size_t i = 0; i < values; ++i) {
    const ShapeId accumulator = op.parameter_shape(reducer, i);
    const ShapeId element = op.parameter_shape(reducer, values + i);
    if (!SameShape(shapes, results[i], accumulator)) {
      op.Report(Rule::kReducerParameters, "computation ", op.CompName(reducer), " takes ",
                op.Text(accumulator), " as accumulator ", i, " and gives ", op.Text(results[i]));
      return false;
    }
    if (!SameShape(shapes, results[i], element, Precision::kAnyFloat)) {
      op.Report(Rule::kReducerParameters, "computation ", op.CompName(reducer), " takes ",
                op.Text(element), " as element ", i, " and gives ", op.Text(results[i]));
      return false;
    }
    if (!SameShape(shapes, results[i], ShapeValue::Scalar(init[i]), Precision::kAnyFloat) ||
        !SameShape(shapes, element, ShapeValue::Scalar(inputs[i]), Precision::kAnyFloat)) {
      op.Report(Rule::kReducerTypes, "computation ", op.CompName(reducer), " reduces ",
                op.Text(element), " into ", op.Text(results[i]), "; value ", i, " is ",
                TextOf(inputs[i]), " starting from ", TextOf(init[i]));
      return false;
    }
  }
  return true;
}

}  // namespace halo
