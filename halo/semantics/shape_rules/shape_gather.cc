// Shapes of gathers: slices of the operand, one for each index vector.
#include <vector>

#include "halo/semantics/rules/index_dims.h"
#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

using Dims = std::span<const int64_t>;

bool NeedSliceSizes(RuleContext& op, Dims sizes, Dims collapsed, Dims batching, Dims offset) {
  const Dims dims = op.dims(0);
  if (sizes.size() != dims.size()) {
    op.Report(Rule::kGatherSliceSizes, "slice_sizes=", ListText(sizes), " of ", op.OperandText(0));
    return false;
  }
  if (sizes.size() != offset.size() + collapsed.size() + batching.size()) {
    op.Report(Rule::kGatherWindow, op.OperandText(0), " has ", sizes.size(), " dimensions; ",
              offset.size(), " are offsets, ", collapsed.size(), " collapsed, ", batching.size(),
              " batches");
    return false;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (dims[i] == kUnboundedDimension) continue;
    const bool single = HasDim(collapsed, i) || HasDim(batching, i);
    if (sizes[i] < 0 || sizes[i] > dims[i] || (single && sizes[i] > 1)) {
      op.Report(Rule::kGatherSliceSizes, "slice_sizes=", ListText(sizes), " takes ", sizes[i],
                " of dimension ", i, " of ", op.OperandText(0),
                single ? ", which is collapsed or a batch" : "");
      return false;
    }
  }
  return true;
}

}  // namespace

Inferred InferGather(RuleContext& op) {
  if (!op.NeedArrays()) return std::nullopt;
  const int64_t vector_dim = op.int_or(AttrKey::k_index_vector_dim, 0);
  const auto index_dims = IndexDims(op, 1, vector_dim);
  if (!index_dims) return std::nullopt;
  const Dims offset = op.ints(AttrKey::k_offset_dims);
  const Dims collapsed = op.ints(AttrKey::k_collapsed_slice_dims);
  const Dims batching = op.ints(AttrKey::k_operand_batching_dims);
  const Dims sizes = op.ints(AttrKey::k_slice_sizes);
  const size_t rank = op.dims(0).size();
  const size_t result_rank = offset.size() + index_dims->size() - 1;
  if (!NeedSortedDims(op, AttrKey::k_offset_dims, offset, result_rank) ||
      !NeedIndexMap(op, AttrKey::k_start_index_map, *index_dims, vector_dim, rank) ||
      !NeedSortedDims(op, AttrKey::k_collapsed_slice_dims, collapsed, rank) ||
      !NeedBatching(op, AttrKey::k_operand_batching_dims, AttrKey::k_start_indices_batching_dims,
                    rank, index_dims->size()) ||
      !NeedSliceSizes(op, sizes, collapsed, batching, offset)) {
    return std::nullopt;
  }
  std::vector<int64_t> dims;
  size_t slice_dim = 0;
  size_t index_dim = 0;
  for (size_t i = 0; i < result_rank; ++i) {
    if (HasDim(offset, i)) {
      while (slice_dim < rank && (HasDim(collapsed, slice_dim) || HasDim(batching, slice_dim))) {
        ++slice_dim;
      }
      // Dimensions that are both collapsed and batches leave fewer dimensions than were counted.
      dims.push_back(slice_dim < rank ? sizes[slice_dim] : 1);
      ++slice_dim;
      continue;
    }
    if (static_cast<int64_t>(index_dim) == vector_dim) ++index_dim;
    dims.push_back((*index_dims)[index_dim++]);
  }
  return ShapeValue::Array(op.type(0), dims);
}

}  // namespace halo
