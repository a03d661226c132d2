// Shapes of scatters: updates are written into the operands at index vectors and combined with the
// existing elements. Several operands may share the indices.
#include <vector>

#include "halo/semantics/rules/index_dims.h"
#include "halo/semantics/rules/reducer.h"
#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

using Dims = std::span<const int64_t>;

struct ScatterDims {
  Dims window, inserted, batching;
  int64_t vector_dim = 0;
  std::vector<int64_t> index_dims;
};

bool NeedWindow(RuleContext& op, size_t operand, size_t updates, const ScatterDims& dims) {
  const size_t rank = op.dims(operand).size();
  const size_t updates_rank = op.dims(updates).size();
  const size_t expected = dims.index_dims.size() - 1 + dims.window.size();
  if (updates_rank != expected) {
    op.Report(Rule::kScatterUpdatesRank, "updates ", op.OperandText(updates), " should have ",
              expected, " dimensions");
    return false;
  }
  if (!NeedSortedDims(op, AttrKey::k_update_window_dims, dims.window, updates_rank) ||
      !NeedSortedDims(op, AttrKey::k_inserted_window_dims, dims.inserted, rank)) {
    return false;
  }
  const size_t window = dims.window.size() + dims.inserted.size() + dims.batching.size();
  if (window == rank) return true;
  op.Report(Rule::kScatterWindow, op.OperandText(operand), " has ", rank, " dimensions; ",
            dims.window.size(), " are in the window, ", dims.inserted.size(), " inserted, ",
            dims.batching.size(), " batches");
  return false;
}

bool NeedUpdateSizes(RuleContext& op, size_t operand, size_t updates, const ScatterDims& dims) {
  std::vector<int64_t> limits;
  for (size_t i = 0; i < op.dims(operand).size(); ++i) {
    if (!HasDim(dims.inserted, i) && !HasDim(dims.batching, i)) {
      limits.push_back(op.dims(operand)[i]);
    }
  }
  size_t window = 0;
  size_t index_dim = 0;
  for (size_t i = 0; i < op.dims(updates).size(); ++i) {
    const int64_t size = op.dims(updates)[i];
    if (HasDim(dims.window, i)) {
      const int64_t limit = window < limits.size() ? limits[window] : size;
      ++window;
      if (size <= limit || limit == kUnboundedDimension) continue;
      op.Report(Rule::kScatterUpdateSize, "updates ", op.OperandText(updates), " have ", size,
                " in dimension ", i, ", the operand ", op.OperandText(operand), " only ", limit);
      return false;
    }
    if (static_cast<int64_t>(index_dim) == dims.vector_dim) ++index_dim;
    const int64_t indices = dims.index_dims[index_dim++];
    if (SameSize(size, indices)) continue;
    op.Report(Rule::kScatterUpdateSize, "updates ", op.OperandText(updates), " have ", size,
              " in dimension ", i, ", the indices have ", indices);
    return false;
  }
  return true;
}

bool NeedOperand(RuleContext& op, size_t operand, size_t updates, const ScatterDims& dims) {
  const size_t rank = op.dims(operand).size();
  return op.NeedArray(operand) && op.NeedArray(updates) && NeedWindow(op, operand, updates, dims) &&
         NeedIndexMap(op, AttrKey::k_scatter_dims_to_operand_dims, dims.index_dims, dims.vector_dim,
                      rank) &&
         NeedBatching(op, AttrKey::k_input_batching_dims, AttrKey::k_scatter_indices_batching_dims,
                      rank, dims.index_dims.size()) &&
         NeedUpdateSizes(op, operand, updates, dims);
}

}  // namespace

Inferred InferScatter(RuleContext& op) {
  if (op.operand_count() < 3 || op.operand_count() % 2 == 0) {
    return op.Fail(Rule::kOperandCount,
                   "scatter takes operands, indices and as many updates; it has ",
                   op.operand_count());
  }
  const size_t count = op.operand_count() / 2;
  if (!op.NeedArray(count)) return std::nullopt;
  ScatterDims dims{op.ints(AttrKey::k_update_window_dims),
                   op.ints(AttrKey::k_inserted_window_dims),
                   op.ints(AttrKey::k_input_batching_dims),
                   op.int_or(AttrKey::k_index_vector_dim, 0),
                   {}};
  auto index_dims = IndexDims(op, count, dims.vector_dim);
  if (!index_dims) return std::nullopt;
  dims.index_dims = std::move(*index_dims);
  std::vector<ElementType> init;
  std::vector<ElementType> updates;
  for (size_t i = 0; i < count; ++i) {
    if (!NeedOperand(op, i, count + 1 + i, dims)) return std::nullopt;
    init.push_back(op.type(i));
    updates.push_back(op.type(count + 1 + i));
  }
  const auto reducer = op.called(AttrKey::k_to_apply);
  if (reducer && !NeedReducer(op, *reducer, init, updates)) return std::nullopt;
  if (count == 1) return ShapeValue::Same(op.operand(0));
  std::vector<ShapeValue> elements;
  for (size_t i = 0; i < count; ++i) elements.push_back(ShapeValue::Same(op.operand(i)));
  return ShapeValue::Tuple(std::move(elements));
}

}  // namespace halo
