// scaled-dot: a dot of block-scaled operands. Operands times scales are exact in double. A scalar
// scale means no scaling.
#include <algorithm>
#include <utility>

#include "halo/eval/context/converted.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/linalg/dot.h"

namespace halo {

namespace {

// One scale applies to dim / scale dim adjacent elements along each dimension.
Array Scaled(const OpContext& cx, const Array& operand, const Array& scale) {
  Array result = Converted(cx, operand, ElementType::kF64);
  if (scale.rank() != operand.rank() || scale.rank() == 0 || result.count() == 0) return result;
  const Array factors = Converted(cx, scale, ElementType::kF64);
  if (factors.count() == 0) return result;
  const Dims strides = RowMajorStrides(factors.dims());
  Dims blocks;
  for (size_t i = 0; i < operand.rank(); ++i) {
    blocks.push_back(std::max<int64_t>(operand.dim(i) / scale.dim(i), 1));
  }
  Dims index(operand.rank(), 0);
  for (double& value : result.Mutable<double>()) {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      at += std::min(index[i] / blocks[i], scale.dim(i) - 1) * strides[i];
    }
    value *= factors.as<double>()[static_cast<size_t>(at)];
    NextIndex(operand.dims(), index);
  }
  return result;
}

}  // namespace

Result<Value> EvalScaledDot(OpContext& cx) {
  if (LaneKindOf(cx.array(0).type()) == LaneKind::kComplex ||
      LaneKindOf(cx.array(1).type()) == LaneKind::kComplex) {
    return cx.Fail(diag::kCannotEvaluate, "scaled operands must be real");
  }
  if (auto over = cx.CheckBudget((cx.array(0).count() + cx.array(1).count()) * 16)) {
    return *std::move(over);
  }
  const auto copy = [&](AttrKey key) {
    return std::vector<int64_t>(cx.ints(key).begin(), cx.ints(key).end());
  };
  const DotDims dims = {copy(AttrKey::k_lhs_batch_dims), copy(AttrKey::k_rhs_batch_dims),
                        copy(AttrKey::k_lhs_contracting_dims),
                        copy(AttrKey::k_rhs_contracting_dims)};
  Result<Array> result = DotGeneral(cx, Scaled(cx, cx.array(0), cx.array(2)),
                                    Scaled(cx, cx.array(1), cx.array(3)), dims, cx.type());
  if (!result) return result.error();
  return Value(*std::move(result));
}

}  // namespace halo
