// Shapes of operations that extract parts of arrays or combine arrays: slice, dynamic-slice,
// dynamic-update-slice, pad, concatenate, reverse.
#include <vector>

#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

using Dims = std::span<const int64_t>;

// Start indices are one scalar for each dimension or, in old programs, one array.
bool NeedStarts(RuleContext& op, size_t first) {
  const size_t rank = op.dims(0).size();
  const size_t count = op.operand_count() - first;
  if (count == 1 && op.dims(first).size() == 1) {
    if (op.NeedArray(first) && IsIntegerType(op.type(first)) &&
        SameSize(op.dims(first)[0], static_cast<int64_t>(rank))) {
      return true;
    }
    op.Report(Rule::kStartIndices, "start indices ", op.OperandText(first), " of ",
              op.OperandText(0));
    return false;
  }
  if (count != rank) {
    op.Report(Rule::kStartIndices, op.OperandText(0), " needs ", rank, " start indices, not ",
              count);
    return false;
  }
  for (size_t i = first; i < op.operand_count(); ++i) {
    if (IsScalar(op.shapes(), op.operand(i)) && IsIntegerType(op.type(i)) &&
        op.type(i) == op.type(first)) {
      continue;
    }
    op.Report(Rule::kStartIndices, "start index ", i - first, " is ", op.OperandText(i),
              ", not an integer scalar like the first");
    return false;
  }
  return true;
}

}  // namespace

Inferred InferSlice(RuleContext& op) {
  if (!op.NeedArray(0)) return std::nullopt;
  const Dims slices = op.ints(AttrKey::k_slice);
  const Dims dims = op.dims(0);
  if (slices.size() != 3 * dims.size()) {
    return op.Fail(Rule::kSliceRank, "slice gives ", slices.size() / 3, " ranges for ",
                   op.OperandText(0));
  }
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t start = slices[3 * i];
    const int64_t limit = slices[3 * i + 1];
    const int64_t stride = slices[3 * i + 2] == 0 ? 1 : slices[3 * i + 2];
    if (start < 0 || limit < start || (dims[i] != kUnboundedDimension && limit > dims[i]) ||
        stride < 0) {
      return op.Fail(Rule::kSliceBounds, "range [", start, ":", limit, ":", stride,
                     "] of dimension ", i, " of ", op.OperandText(0));
    }
    sizes.push_back((limit - start) / stride + ((limit - start) % stride != 0 ? 1 : 0));
  }
  return ShapeValue::Array(op.type(0), sizes);
}

Inferred InferDynamicSlice(RuleContext& op) {
  if (op.operand_count() == 0) {
    return op.Fail(Rule::kOperandCount, "dynamic-slice has no operands");
  }
  if (!op.NeedArray(0) || !NeedStarts(op, 1)) return std::nullopt;
  const Dims sizes = op.ints(AttrKey::k_dynamic_slice_sizes);
  const Dims dims = op.dims(0);
  bool ok = sizes.size() == dims.size();
  for (size_t i = 0; ok && i < sizes.size(); ++i) {
    ok = sizes[i] >= 0 && (dims[i] == kUnboundedDimension || sizes[i] <= dims[i]);
  }
  if (!ok) {
    return op.Fail(Rule::kDynamicSliceSizes, "dynamic_slice_sizes=", ListText(sizes), " of ",
                   op.OperandText(0));
  }
  return ShapeValue::Array(op.type(0), sizes);
}

Inferred InferDynamicUpdateSlice(RuleContext& op) {
  if (op.operand_count() < 2) {
    return op.Fail(Rule::kOperandCount, "dynamic-update-slice takes an operand and an update");
  }
  if ((!op.shapes().is_buffer(op.operand(0)) && !op.NeedArray(0)) || !op.NeedArray(1) ||
      !NeedStarts(op, 2)) {
    return std::nullopt;
  }
  const ShapeId operand = op.shapes().is_buffer(op.operand(0))
                              ? op.shapes().buffer_inner(op.operand(0))
                              : op.operand(0);
  const Dims dims = op.dims(0);
  const Dims update = op.dims(1);
  bool ok = update.size() == dims.size() &&
            SameType(op.shapes().type(operand), op.type(1), Precision::kAnyFloat);
  for (size_t i = 0; ok && i < dims.size(); ++i) {
    ok = dims[i] == kUnboundedDimension || update[i] <= dims[i];
  }
  if (!ok) {
    return op.Fail(Rule::kUpdateShape, "update ", op.OperandText(1), " does not fit into ",
                   op.OperandText(0));
  }
  return ShapeValue::Same(op.operand(0));
}

Inferred InferPad(RuleContext& op) {
  if (!op.NeedArray(0)) return std::nullopt;
  if (!IsScalar(op.shapes(), op.operand(1)) ||
      !SameType(op.type(0), op.type(1), Precision::kAnyFloat)) {
    return op.Fail(Rule::kPadValue, "padding value ", op.OperandText(1), " for ",
                   op.OperandText(0));
  }
  const Dims padding = op.ints(AttrKey::k_padding);
  const Dims dims = op.dims(0);
  if (padding.size() != 3 * dims.size()) {
    return op.Fail(Rule::kPadRank, "padding has ", padding.size() / 3, " dimensions for ",
                   op.OperandText(0));
  }
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == kUnboundedDimension) {
      sizes.push_back(dims[i]);
      continue;
    }
    const int64_t interior = padding[3 * i + 2];
    int64_t size = 0;
    if (interior < 0 || __builtin_mul_overflow(dims[i] > 0 ? dims[i] - 1 : 0, interior, &size) ||
        __builtin_add_overflow(size, dims[i], &size) ||
        __builtin_add_overflow(size, padding[3 * i], &size) ||
        __builtin_add_overflow(size, padding[3 * i + 1], &size) || size < 0) {
      return op.Fail(Rule::kPadSize, "padding ", padding[3 * i], "_", padding[3 * i + 1], "_",
                     interior, " of dimension ", i, " of ", op.OperandText(0));
    }
    sizes.push_back(size);
  }
  return ShapeValue::Array(op.type(0), sizes);
}

Inferred InferConcatenate(RuleContext& op) {
  if (op.operand_count() == 0) {
    return op.Fail(Rule::kOperandCount, "concatenate has no operands");
  }
  if (!op.NeedArrays()) return std::nullopt;
  const Dims along = op.ints(AttrKey::k_dimensions);
  if (along.size() != 1) {
    return op.Fail(Rule::kOneDimension, "concatenate takes one dimension, not ", ListText(along));
  }
  if (!op.NeedDims(AttrKey::k_dimensions, along, op.dims(0).size())) return std::nullopt;
  const auto at = static_cast<size_t>(along[0]);
  std::vector<int64_t> sizes(op.dims(0).begin(), op.dims(0).end());
  for (size_t i = 1; i < op.operand_count(); ++i) {
    bool ok =
        op.dims(i).size() == sizes.size() && SameType(op.type(0), op.type(i), Precision::kAnyFloat);
    for (size_t k = 0; ok && k < sizes.size(); ++k) {
      ok = k == at || SameSize(op.dims(0)[k], op.dims(i)[k]);
    }
    if (!ok) {
      return op.Fail(Rule::kConcatenateOperands, op.OperandText(i), " cannot be concatenated with ",
                     op.OperandText(0), " along dimension ", at);
    }
    if (op.dims(i)[at] == kUnboundedDimension || sizes[at] == kUnboundedDimension) {
      sizes[at] = kUnboundedDimension;
    } else if (__builtin_add_overflow(sizes[at], op.dims(i)[at], &sizes[at])) {
      return op.Fail(Rule::kShapeOverflow, "the concatenated dimension does not fit in 64 bits");
    }
  }
  return ShapeValue::Array(op.type(0), sizes);
}

Inferred InferReverse(RuleContext& op) {
  if (!op.NeedArray(0) ||
      !op.NeedDims(AttrKey::k_dimensions, op.ints(AttrKey::k_dimensions), op.dims(0).size())) {
    return std::nullopt;
  }
  return ShapeValue::Same(op.operand(0));
}

}  // namespace halo
