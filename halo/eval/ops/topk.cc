// topk: the k greatest or least elements of each row along the last dimension, in that order, and
// their indices. Floats are compared by their total order; equal elements keep their order.
#include "halo/eval/ops/topk.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "halo/base/capped.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/lanes/total_order.h"

namespace halo {

Result<Value> TopRows(OpContext& cx, int64_t k, bool largest, ElementType index_type) {
  const Array& operand = cx.array(0);
  if (LaneKindOf(operand.type()) == LaneKind::kComplex || operand.rank() == 0) {
    return cx.Fail(diag::kCannotEvaluate, "topk orders rows of real numbers only");
  }
  const int64_t length = operand.dim(operand.rank() - 1);
  k = std::clamp<int64_t>(k, 0, length);
  Dims dims(operand.dims().begin(), operand.dims().end());
  dims.back() = k;
  Array values = cx.Make(operand.type(), dims);
  Array indices = cx.Make(index_type, dims);
  if (values.count() == 0) return Value::Tuple({std::move(values), std::move(indices)});
  if (auto over = cx.Spend(operand.count())) return *std::move(over);
  if (auto over = cx.CheckBudget(MultiplyCapped(length, 16))) return *std::move(over);
  std::vector<int64_t> keys(static_cast<size_t>(length));
  std::vector<int64_t> rows(static_cast<size_t>(length));
  const size_t bytes = operand.element_bytes();
  const int64_t count = operand.count() / length;
  for (int64_t row = 0; row < count; ++row) {
    const uint8_t* from = operand.bytes() + static_cast<size_t>(row * length) * bytes;
    LoadLanes(operand.type(), from, 1, keys.size(), keys.data());
    ToTotalOrderKeys(LaneKindOf(operand.type()), keys.size(), keys.data());
    std::iota(rows.begin(), rows.end(), 0);
    std::partial_sort(rows.begin(), rows.begin() + k, rows.end(), [&](int64_t a, int64_t b) {
      const int64_t left = keys[static_cast<size_t>(a)];
      const int64_t right = keys[static_cast<size_t>(b)];
      if (left != right) return largest ? left > right : left < right;
      return a < b;
    });
    for (int64_t i = 0; i < k; ++i) {
      const size_t to = static_cast<size_t>(row * k + i);
      const int64_t at = rows[static_cast<size_t>(i)];
      std::memcpy(values.MutableBytes() + to * bytes, from + static_cast<size_t>(at) * bytes,
                  bytes);
      StoreInt(indices.type(), at, indices.MutableBytes() + to * indices.element_bytes());
    }
  }
  return Value::Tuple({std::move(values), std::move(indices)});
}

Result<Value> EvalTopK(OpContext& cx) {
  return TopRows(cx, cx.integer(AttrKey::k_k, 0), cx.flag(AttrKey::k_largest, true),
                 cx.module.shapes.type(cx.shape(1)));
}

}  // namespace halo
