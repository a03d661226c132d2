// Shapes of operations that rearrange or count elements but do not compute: broadcast, reshape,
// transpose, bitcast, iota, dimension sizes.
#include <algorithm>
#include <vector>

#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

using Dims = std::span<const int64_t>;

// Checks that element types and counts agree, as reshapes require.
bool NeedSameElements(RuleContext& op) {
  const ShapeTable& shapes = op.shapes();
  if (!op.NeedArray(0)) return false;
  if (!shapes.is_array(op.shape()) ||
      !SameType(op.type(0), shapes.type(op.shape()), Precision::kAnyFloat)) {
    op.Report(Rule::kReshapeType, op.opcode_text(), " makes ", op.Text(op.shape()), " of ",
              op.OperandText(0));
    return false;
  }
  const auto from = shapes.ElementCount(op.operand(0));
  const auto to = shapes.ElementCount(op.shape());
  if (!from || !to || *from == *to) return true;
  op.Report(Rule::kReshapeCount, op.OperandText(0), " has ", *from, " elements, ",
            op.Text(op.shape()), " ", *to);
  return false;
}

// Bits without padding; layouts may pad the same data differently.
std::optional<int64_t> DataBits(const RuleContext& op, ShapeId shape) {
  const auto count = op.shapes().ElementCount(shape);
  if (!count) return std::nullopt;
  const Layout* layout = op.shapes().layout(shape);
  int64_t bits = InfoOf(op.shapes().type(shape)).bits;
  if (layout != nullptr && layout->element_bits > 0) bits = layout->element_bits;
  int64_t total = 0;
  if (__builtin_mul_overflow(*count, bits, &total)) return std::nullopt;
  return total;
}

constexpr int64_t kLargestInt32 = INT32_MAX;

}  // namespace

Inferred InferBroadcast(RuleContext& op) {
  if (!op.NeedArray(0)) return std::nullopt;
  const ShapeTable& shapes = op.shapes();
  if (!shapes.is_array(op.shape()) ||
      !SameType(op.type(0), shapes.type(op.shape()), Precision::kAnyFloat)) {
    return op.Fail(Rule::kBroadcastType, "broadcast makes ", op.Text(op.shape()), " of ",
                   op.OperandText(0));
  }
  const Dims map = op.ints(AttrKey::k_dimensions);
  const Dims to = op.DimsOf(op.shape());
  if (map.size() != op.dims(0).size()) {
    return op.Fail(Rule::kBroadcastRank, "dimensions=", ListText(map), " does not map each of ",
                   op.OperandText(0), "'s dimensions");
  }
  if (!op.NeedDims(AttrKey::k_dimensions, map, to.size())) return std::nullopt;
  for (size_t i = 0; i < map.size(); ++i) {
    const int64_t size = to[static_cast<size_t>(map[i])];
    if (size == op.dims(0)[i]) continue;
    return op.Fail(Rule::kBroadcastSize, "dimension ", i, " of ", op.OperandText(0),
                   " becomes dimension ", map[i], " of ", op.Text(op.shape()));
  }
  return std::nullopt;
}

Inferred InferReshape(RuleContext& op) {
  NeedSameElements(op);
  return std::nullopt;
}

Inferred InferDynamicReshape(RuleContext& op) {
  if (op.operand_count() == 0) {
    return op.Fail(Rule::kOperandCount, "dynamic-reshape has no operands");
  }
  if (!NeedSameElements(op)) return std::nullopt;
  if (op.operand_count() != op.DimsOf(op.shape()).size() + 1) {
    return op.Fail(Rule::kOperandCount, "dynamic-reshape to ", op.Text(op.shape()), " takes ",
                   op.DimsOf(op.shape()).size(), " sizes, not ", op.operand_count() - 1);
  }
  for (size_t i = 1; i < op.operand_count(); ++i) {
    if (op.type(i) == ElementType::kS32) continue;
    return op.Fail(Rule::kDimensionSizeType, "size ", i - 1, " is ", op.OperandText(i),
                   ", not s32");
  }
  return std::nullopt;
}

Inferred InferTranspose(RuleContext& op) {
  if (!op.NeedArray(0)) return std::nullopt;
  const Dims permutation = op.ints(AttrKey::k_dimensions);
  if (permutation.size() != op.dims(0).size()) {
    return op.Fail(Rule::kTransposePermutation, "dimensions=", ListText(permutation),
                   " is no permutation of ", op.OperandText(0), "'s dimensions");
  }
  if (!op.NeedDims(AttrKey::k_dimensions, permutation, op.dims(0).size())) return std::nullopt;
  std::vector<int64_t> dims;
  for (const int64_t dim : permutation) dims.push_back(op.dims(0)[static_cast<size_t>(dim)]);
  return ShapeValue::Array(op.type(0), dims);
}

Inferred InferBitcast(RuleContext& op) {
  const ShapeTable& shapes = op.shapes();
  if (!shapes.is_array(op.operand(0)) || !shapes.is_array(op.shape())) return std::nullopt;
  // Layouts determine what a bitcast may do; without them nothing can be checked.
  if (shapes.layout(op.operand(0)) == nullptr || shapes.layout(op.shape()) == nullptr) {
    return std::nullopt;
  }
  const auto from = shapes.ByteSize(op.operand(0));
  const auto to = shapes.ByteSize(op.shape());
  if (!from || !to || *from == *to) return std::nullopt;
  if (DataBits(op, op.operand(0)) == DataBits(op, op.shape())) return std::nullopt;
  return op.Fail(Rule::kBitcastSize, op.OperandText(0), " takes ", *from, " bytes, ",
                 op.Text(op.shape()), " ", *to);
}

Inferred InferIota(RuleContext& op) {
  const int64_t dim = op.int_or(AttrKey::k_iota_dimension, 0);
  const ShapeTable& shapes = op.shapes();
  if (!shapes.is_array(op.shape()) || shapes.type(op.shape()) == ElementType::kPred) {
    return op.Fail(Rule::kElementType, "iota counts in numbers, not ", op.Text(op.shape()));
  }
  if (dim < 0 || dim >= static_cast<int64_t>(op.DimsOf(op.shape()).size())) {
    return op.Fail(Rule::kIotaDimension, "iota_dimension=", dim, " of ", op.Text(op.shape()));
  }
  return std::nullopt;
}

Inferred InferGetDimensionSize(RuleContext& op) {
  const Dims dims = op.ints(AttrKey::k_dimensions);
  if (dims.size() != 1) {
    return op.Fail(Rule::kOneDimension, "get-dimension-size takes one dimension, not ",
                   ListText(dims));
  }
  if (!op.NeedDims(AttrKey::k_dimensions, dims, op.dims(0).size())) return std::nullopt;
  if (op.dims(0)[static_cast<size_t>(dims[0])] > kLargestInt32) {
    return op.Fail(Rule::kDimensionSizeLimit, "dimension ", dims[0], " of ", op.OperandText(0),
                   " does not fit s32");
  }
  return ShapeValue::Scalar(ElementType::kS32);
}

Inferred InferSetDimensionSize(RuleContext& op) {
  const Dims dims = op.ints(AttrKey::k_dimensions);
  if (dims.size() != 1) {
    return op.Fail(Rule::kOneDimension, "set-dimension-size takes one dimension, not ",
                   ListText(dims));
  }
  if (!op.NeedDims(AttrKey::k_dimensions, dims, op.dims(0).size())) return std::nullopt;
  if (!SameShape(op.shapes(), op.operand(1), ShapeValue::Scalar(ElementType::kS32))) {
    return op.Fail(Rule::kDimensionSizeType, "the size is ", op.OperandText(1), ", not s32[]");
  }
  if (op.dims(0)[static_cast<size_t>(dims[0])] > kLargestInt32) {
    return op.Fail(Rule::kDimensionSizeLimit, "dimension ", dims[0], " of ", op.OperandText(0),
                   " does not fit s32");
  }
  return ShapeValue::Same(op.operand(0));
}

}  // namespace halo
