// Shapes of scans: a computation applied along one dimension, with values carried from step to
// step.
#include <vector>

#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

using Dims = std::span<const int64_t>;

std::vector<ShapeId> Parts(const RuleContext& op, ShapeId shape) {
  if (!op.shapes().is_tuple(shape)) return {shape};
  const auto elements = op.shapes().elements(shape);
  return {elements.begin(), elements.end()};
}

// Returns true if `part` is `whole` without its dimension `dim`, which has size `size`.
bool IsSlice(const RuleContext& op, ShapeId whole, ShapeId part, size_t dim, int64_t size) {
  if (!op.shapes().is_array(whole)) return false;
  const Dims dims = op.DimsOf(whole);
  if (dim >= dims.size() || !SameSize(dims[dim], size)) return false;
  std::vector<int64_t> rest(dims.begin(), dims.end());
  rest.erase(rest.begin() + static_cast<ptrdiff_t>(dim));
  return SameShape(op.shapes(), part, ShapeValue::Array(op.shapes().type(whole), rest),
                   Precision::kAnyFloat);
}

}  // namespace

Inferred InferScan(RuleContext& op) {
  const Dims dims = op.ints(AttrKey::k_dimensions);
  if (dims.size() != 1) {
    return op.Fail(Rule::kOneDimension, "scan takes one dimension, not ", ListText(dims));
  }
  const auto comp = op.called(AttrKey::k_to_apply);
  if (!comp) return std::nullopt;
  const std::vector<ShapeId> roots = Parts(op, op.result_shape(*comp));
  const std::vector<ShapeId> results = Parts(op, op.shape());
  const auto carries = static_cast<size_t>(op.int_or(AttrKey::k_num_carries, 0));
  const size_t operands = op.operand_count();
  if (operands < carries || results.size() < carries || operands + results.size() == 2 * carries ||
      op.parameters(*comp).size() != operands || roots.size() != results.size()) {
    return op.Fail(Rule::kScanCounts, "scan has ", operands, " operands, ", results.size(),
                   " results and ", carries, " carries; computation ", op.CompName(*comp),
                   " takes ", op.parameters(*comp).size(), " and gives ", roots.size());
  }
  const size_t inputs = operands - carries;
  const size_t outputs = results.size() - carries;
  const ShapeId first = inputs > 0 ? op.operand(0) : results[0];
  const auto at = static_cast<size_t>(dims[0]);
  if (dims[0] < 0 || at >= op.DimsOf(first).size()) {
    return op.Fail(Rule::kDimensionRange, "dimensions=", ListText(dims), " of ", op.Text(first));
  }
  const int64_t size = op.DimsOf(first)[at];
  for (size_t i = 0; i < operands; ++i) {
    const ShapeId parameter = op.parameter_shape(*comp, i);
    const bool ok = i < inputs
                        ? IsSlice(op, op.operand(i), parameter, at, size)
                        : SameShape(op.shapes(), op.operand(i), parameter, Precision::kAnyFloat);
    if (ok) continue;
    return op.Fail(Rule::kScanParameter, "operand ", i, " is ", op.OperandText(i), ", parameter ",
                   i, " of computation ", op.CompName(*comp), " ", op.Text(parameter));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const bool carry = i >= outputs;
    bool ok = carry ? SameShape(op.shapes(), results[i], roots[i], Precision::kAnyFloat)
                    : IsSlice(op, results[i], roots[i], at, size);
    if (carry) {
      const ShapeId parameter = op.parameter_shape(*comp, inputs + i - outputs);
      ok = ok && SameShape(op.shapes(), parameter, roots[i], Precision::kAnyFloat);
    }
    if (ok) continue;
    return op.Fail(Rule::kScanResult, "result ", i, " is ", op.Text(results[i]), ", computation ",
                   op.CompName(*comp), " gives ", op.Text(roots[i]));
  }
  return std::nullopt;
}

}  // namespace halo
