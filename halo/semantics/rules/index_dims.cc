// Checks shared by gather and scatter.
#include "halo/semantics/rules/index_dims.h"

#include <algorithm>

namespace halo {

bool NeedSortedDims(RuleContext& op, AttrKey key, std::span<const int64_t> values, size_t rank) {
  if (!op.NeedDims(key, values, rank)) return false;
  if (std::is_sorted(values.begin(), values.end())) return true;
  op.Report(Rule::kDimensionOrder, TextOf(key), "=", ListText(values), " must ascend");
  return false;
}

bool HasDim(std::span<const int64_t> sorted, size_t dim) {
  return std::binary_search(sorted.begin(), sorted.end(), static_cast<int64_t>(dim));
}

std::optional<std::vector<int64_t>> IndexDims(RuleContext& op, size_t indices_operand,
                                              int64_t index_vector_dim) {
  const auto dims = op.dims(indices_operand);
  if (!IsIntegerType(op.type(indices_operand))) {
    return op.Fail(Rule::kIndexType, "indices are ", op.OperandText(indices_operand),
                   ", not integers");
  }
  if (index_vector_dim < 0 || index_vector_dim > static_cast<int64_t>(dims.size())) {
    return op.Fail(Rule::kIndexVectorDim, "index_vector_dim=", index_vector_dim, " of indices ",
                   op.OperandText(indices_operand));
  }
  std::vector<int64_t> expanded(dims.begin(), dims.end());
  if (index_vector_dim == static_cast<int64_t>(dims.size())) expanded.push_back(1);
  return expanded;
}

bool NeedIndexMap(RuleContext& op, AttrKey map_key, std::span<const int64_t> index_dims,
                  int64_t index_vector_dim, size_t operand_rank) {
  const auto map = op.ints(map_key);
  const int64_t length = index_dims[static_cast<size_t>(index_vector_dim)];
  if (!SameSize(length, static_cast<int64_t>(map.size()))) {
    op.Report(Rule::kIndexMapLength, TextOf(map_key), "=", ListText(map), " names ", map.size(),
              " dimensions, index vectors have ", length, " elements");
    return false;
  }
  return op.NeedDims(map_key, map, operand_rank);
}

bool NeedBatching(RuleContext& op, AttrKey operand_key, AttrKey indices_key, size_t operand_rank,
                  size_t indices_rank) {
  const auto operand = op.ints(operand_key);
  const auto indices = op.ints(indices_key);
  if (operand.size() != indices.size()) {
    op.Report(Rule::kBatchingCount, TextOf(operand_key), "=", ListText(operand), " and ",
              TextOf(indices_key), "=", ListText(indices), " must pair up");
    return false;
  }
  return NeedSortedDims(op, operand_key, operand, operand_rank) &&
         op.NeedDims(indices_key, indices, indices_rank);
}

}  // namespace halo
