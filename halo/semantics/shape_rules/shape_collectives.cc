// Shapes of collectives. A gather multiplies its dimension by the number of members of a group, a
// scatter divides it; the others keep shapes.
#include <algorithm>
#include <vector>

#include "halo/semantics/rules/collective_groups.h"
#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

using Dims = std::span<const int64_t>;

ShapeValue OperandsAsOne(const RuleContext& op, size_t count) {
  if (count == 1) return ShapeValue::Same(op.operand(0));
  std::vector<ShapeValue> values;
  for (size_t i = 0; i < count; ++i) values.push_back(ShapeValue::Same(op.operand(i)));
  return ShapeValue::Tuple(std::move(values));
}

bool NeedSomeArrays(RuleContext& op) {
  if (op.operand_count() > 0) return op.NeedArrays();
  op.Report(Rule::kOperandCount, op.opcode_text(), " has no operands");
  return false;
}

std::optional<GroupMode> NeedMode(RuleContext& op) {
  const auto mode = WrittenGroupMode(op);
  if (!mode) {
    op.Report(Rule::kGlobalIdsChannel, "use_global_device_ids needs a channel_id");
  }
  return mode;
}

// Returns the one dimension that is gathered or scattered; nothing after a report.
std::optional<size_t> OneDimension(RuleContext& op) {
  const Dims dims = op.ints(AttrKey::k_dimensions);
  if (dims.size() != 1) {
    return op.Fail(Rule::kOneDimension, op.opcode_text(), " takes one dimension, not ",
                   ListText(dims));
  }
  for (size_t i = 0; i < op.operand_count(); ++i) {
    if (!op.NeedDims(AttrKey::k_dimensions, dims, op.dims(i).size())) return std::nullopt;
  }
  return static_cast<size_t>(dims[0]);
}

// Returns the results by operand: the shape itself, or its elements if there are several operands.
std::vector<ShapeId> Results(const RuleContext& op, ShapeId shape) {
  if (op.operand_count() == 1) return {shape};
  if (!op.shapes().is_tuple(shape)) return {};
  const auto elements = op.shapes().elements(shape);
  return {elements.begin(), elements.end()};
}

bool NeedResults(RuleContext& op, const std::vector<ShapeId>& results, size_t dim) {
  bool ok = results.size() == op.operand_count();
  for (const ShapeId each : results) {
    ok = ok && op.shapes().is_array(each) && dim < op.DimsOf(each).size();
  }
  if (!ok) {
    op.Report(Rule::kCollectiveResult, op.opcode_text(), " of ", op.operand_count(),
              " operands does not give ", op.Text(op.shape()));
  }
  return ok;
}

int64_t CeilOfRatio(int64_t a, int64_t b) { return b <= 0 ? 0 : a / b + (a % b > 0 ? 1 : 0); }

// Returns the ratio of whole to part, which must be the size of a group.
std::optional<int64_t> Shards(RuleContext& op, GroupMode mode, int64_t whole, int64_t part) {
  const int64_t shards = CeilOfRatio(whole, part);
  const int64_t members = GroupSize(op, mode);
  if (shards > 0 && (members == 1 || shards == members)) return shards;
  return op.Fail(Rule::kCollectiveShards, "a dimension of ", whole, " against ", part,
                 " does not fit groups of ", members);
}

Inferred Gathered(RuleContext& op, ShapeId declared) {
  const auto mode = NeedMode(op);
  if (!mode || !NeedSomeArrays(op) || !NeedGroups(op, *mode, true)) return std::nullopt;
  const auto dim = OneDimension(op);
  if (!dim) return std::nullopt;
  const std::vector<ShapeId> results = Results(op, declared);
  if (!NeedResults(op, results, *dim)) return std::nullopt;
  const auto shards = Shards(op, *mode, op.DimsOf(results[0])[*dim], op.dims(0)[*dim]);
  if (!shards) return std::nullopt;
  std::vector<ShapeValue> values;
  for (size_t i = 0; i < op.operand_count(); ++i) {
    std::vector<int64_t> dims(op.dims(i).begin(), op.dims(i).end());
    if (dims[*dim] != kUnboundedDimension &&
        __builtin_mul_overflow(dims[*dim], *shards, &dims[*dim])) {
      return op.Fail(Rule::kShapeOverflow, "the gathered dimension does not fit in 64 bits");
    }
    values.push_back(ShapeValue::Array(op.type(i), dims));
  }
  if (values.size() == 1) return std::move(values[0]);
  return ShapeValue::Tuple(std::move(values));
}

}  // namespace

Inferred InferAllGather(RuleContext& op) { return Gathered(op, op.shape()); }

Inferred InferAllGatherStart(RuleContext& op) {
  const ShapeTable& shapes = op.shapes();
  if (!shapes.is_tuple(op.shape()) || shapes.elements(op.shape()).size() != 2) {
    return op.Fail(Rule::kAsyncShape, "all-gather-start gives its operands and its result, not ",
                   op.Text(op.shape()));
  }
  auto gathered = Gathered(op, shapes.elements(op.shape())[1]);
  if (!gathered) return std::nullopt;
  std::vector<ShapeValue> values;
  values.push_back(OperandsAsOne(op, op.operand_count()));
  values.push_back(std::move(*gathered));
  return ShapeValue::Tuple(std::move(values));
}

Inferred InferReduceScatter(RuleContext& op) {
  const auto mode = NeedMode(op);
  if (!mode || !NeedSomeArrays(op) || !NeedGroups(op, *mode, true)) return std::nullopt;
  const auto dim = OneDimension(op);
  if (!dim) return std::nullopt;
  const std::vector<ShapeId> results = Results(op, op.shape());
  if (!NeedResults(op, results, *dim)) return std::nullopt;
  const auto shards = Shards(op, *mode, op.dims(0)[*dim], op.DimsOf(results[0])[*dim]);
  if (!shards) return std::nullopt;
  std::vector<ShapeValue> values;
  for (size_t i = 0; i < op.operand_count(); ++i) {
    std::vector<int64_t> dims(op.dims(i).begin(), op.dims(i).end());
    if (dims[*dim] % *shards != 0) {
      return op.Fail(Rule::kCollectiveShards, op.OperandText(i), " does not divide into ", *shards,
                     " parts along dimension ", *dim);
    }
    dims[*dim] /= *shards;
    values.push_back(ShapeValue::Array(op.type(i), dims));
  }
  if (values.size() == 1) return std::move(values[0]);
  return ShapeValue::Tuple(std::move(values));
}

Inferred InferAllReduce(RuleContext& op) {
  const auto mode = NeedMode(op);
  if (!mode || !NeedSomeArrays(op) || !NeedGroups(op, *mode, false)) return std::nullopt;
  if (op.has(AttrKey::k_channel_id) && op.opcode() == Opcode::kAllReduce &&
      op.int_or(AttrKey::k_channel_id, 1) <= 0) {
    return op.Fail(Rule::kChannelId, "channel_id=", op.int_or(AttrKey::k_channel_id, 1),
                   " must be positive");
  }
  return OperandsAsOne(op, op.operand_count());
}

Inferred InferAllToAll(RuleContext& op) {
  const auto mode = NeedMode(op);
  if (!mode || !NeedSomeArrays(op) || !NeedGroups(op, *mode, true)) return std::nullopt;
  const int64_t members = GroupSize(op, *mode);
  if (op.has(AttrKey::k_dimensions)) {
    const auto dim = OneDimension(op);
    if (!dim) return std::nullopt;
    if (op.operand_count() != 1) {
      return op.Fail(Rule::kOperandCount, "all-to-all along a dimension takes one operand, not ",
                     op.operand_count());
    }
    const int64_t size = op.dims(0)[*dim];
    if (members <= 0 || (size != kUnboundedDimension && size % members != 0)) {
      return op.Fail(Rule::kCollectiveShards, op.OperandText(0), " does not divide into ", members,
                     " parts along dimension ", *dim);
    }
    return ShapeValue::Same(op.operand(0));
  }
  if (static_cast<int64_t>(op.operand_count()) != members) {
    return op.Fail(Rule::kAllToAllOperands, "all-to-all in groups of ", members, " has ",
                   op.operand_count(), " operands");
  }
  for (size_t i = 1; i < op.operand_count(); ++i) {
    if (SameShape(op.shapes(), op.operand(0), op.operand(i))) continue;
    return op.Fail(Rule::kAllToAllOperands, "operand 0 is ", op.OperandText(0), ", operand ", i,
                   " ", op.OperandText(i));
  }
  std::vector<ShapeValue> values;
  for (size_t i = 0; i < op.operand_count(); ++i) values.push_back(ShapeValue::Same(op.operand(i)));
  return ShapeValue::Tuple(std::move(values));
}

Inferred InferRaggedAllToAll(RuleContext& op) {
  const auto mode = NeedMode(op);
  if (!mode || !op.NeedArrays() || !NeedGroups(op, *mode, true)) return std::nullopt;
  for (size_t i = 2; i < op.operand_count(); ++i) {
    const size_t rank = op.dims(i).size();
    if ((rank == 1 || rank == 2) && SameShape(op.shapes(), op.operand(2), op.operand(i))) continue;
    return op.Fail(Rule::kRaggedOffsets, "offsets and sizes are ", op.OperandText(2), " and ",
                   op.OperandText(i));
  }
  return ShapeValue::Same(op.operand(1));
}

Inferred InferCollectiveBroadcast(RuleContext& op) {
  if (!NeedSomeArrays(op)) return std::nullopt;
  const bool dynamic_root = op.bool_or(AttrKey::k_has_dynamic_root, false);
  if (!dynamic_root) return ShapeValue::Same(op.operand(0));
  const size_t data = op.operand_count() - 1;
  const auto roots = static_cast<int64_t>(data);
  if (data == 0 || !SameShape(op.shapes(), op.operand(data),
                              ShapeValue::Array(ElementType::kS32, {&roots, 1}))) {
    return op.Fail(Rule::kDynamicRoot, "the roots of ", data, " operands are ",
                   op.OperandText(data));
  }
  return OperandsAsOne(op, data);
}

Inferred InferCollectiveReduce(RuleContext& op) {
  const auto mode = NeedMode(op);
  if (!mode || !NeedSomeArrays(op) || !NeedGroups(op, *mode, false)) return std::nullopt;
  if (op.bool_or(AttrKey::k_has_dynamic_root, false)) return InferCollectiveBroadcast(op);
  return OperandsAsOne(op, op.operand_count());
}

}  // namespace halo
