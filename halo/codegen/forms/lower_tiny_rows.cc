// Reductions of rows of a few elements, also several that depend on one another: each row is
// written out, and the loop over the rows is vectorized instead.
#include "halo/codegen/forms/lower_tiny_rows.h"

#include <algorithm>
#include <utility>

namespace halo {
namespace {

// The indices of all columns of one row, in reduction order.
std::vector<ElementIndex> ColumnsOf(KernelFrame& frame, const KernelBody& body,
                                    const ReductionForm& form, const Index& row) {
  std::vector<int64_t> sizes;
  for (const size_t dim : form.folded) sizes.push_back(form.dims[dim]);
  std::vector<ElementIndex> columns;
  for (int64_t column = 0; column < form.columns; ++column) {
    Index index(form.dims.size());
    for (size_t i = 0; i < form.kept.size(); ++i) index[form.kept[i]] = row[i];
    int64_t rest = column;
    for (size_t i = form.folded.size(); i-- > 0;) {
      index[form.folded[i]] = frame.space.AddConstant(IndexExpr(), rest % sizes[i]);
      rest /= sizes[i];
    }
    columns.emplace_back(form, body, frame.space, std::move(index));
  }
  return columns;
}

struct PlannedStore {
  uint32_t leaf;
  Index index;
  llvm::Value* value;
};

void EmitRow(KernelFrame& frame, const KernelBody& body, const ReductionForm& form,
             const Index& row) {
  const std::vector<ElementIndex> columns = ColumnsOf(frame, body, form, row);
  for (size_t level = 0; level < form.levels.size(); ++level) {
    Values sums = InitialAll(frame, form, level);
    for (const ElementIndex& at : columns) {
      sums = StepAll(frame, form, level, sums, FoldedElements(frame, form, level, at));
    }
    GiveResults(frame, form, level, columns[0], sums);
  }
  // All values before any store, because a result may alias an operand.
  std::vector<PlannedStore> stores;
  const auto compute = [&](size_t root, Index index) {
    llvm::Value* value = frame.emitter.At(body.roots[root], index, body.parts[root]);
    stores.push_back({body.result_leaf(root), std::move(index), value});
  };
  for (const size_t root : form.row_roots) compute(root, columns[0].Row(body.result(root).dims));
  for (const ElementIndex& at : columns) {
    for (const size_t root : form.element_roots) compute(root, at.Position(body.result(root).dims));
  }
  if (frame.emitter.failed()) return;
  for (const PlannedStore& each : stores) {
    frame.emitter.StoreTo(each.leaf, each.index, each.value);
  }
}

}  // namespace

std::optional<KernelPart> LowerTinyRows(const BodyPtr& body, const ReductionForm& form,
                                        std::string& why) {
  // Measured with 2 to 8 columns: 8 to 50 % of the time of a loop over each row.
  constexpr int64_t kTinyRow = 8;
  constexpr int64_t kManyRows = 64;
  // Fewer elements are not worth the longer code, which takes longer to compile.
  constexpr int64_t kManyElements = 1024;
  if (form.columns > kTinyRow || form.rows < kManyRows ||
      form.rows * form.columns < kManyElements) {
    return std::nullopt;
  }
  std::vector<int64_t> dims;
  std::vector<int64_t> order;
  for (const size_t dim : form.kept) dims.push_back(form.dims[dim]);
  for (const int64_t dim : form.order) {
    const auto at = std::ranges::find(form.kept, static_cast<size_t>(dim));
    if (at != form.kept.end()) order.push_back(at - form.kept.begin());
  }
  const ElementCode code = [body, form](KernelFrame& frame, const Index& row) {
    EmitRow(frame, *body, form, row);
  };
  LoopSpace loops = SeparateLoops(dims, order);
  if (!JoinLoops(loops, *body, code, why)) return std::nullopt;
  return PartOver(body, std::move(loops), code, {}, form.columns);
}

}  // namespace halo
