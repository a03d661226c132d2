// Ops on the run-time dimensions of arrays: get-dimension-size, set-dimension-size and
// dynamic-reshape.
#include <algorithm>
#include <utility>

#include "halo/eval/context/box_copy.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/lanes/lane_offsets.h"

namespace halo {

Result<Value> EvalGetDimensionSize(OpContext& cx) {
  const auto dim = static_cast<size_t>(cx.ints(AttrKey::k_dimensions)[0]);
  Array size = cx.MakeResult();
  StoreInt(size.type(), cx.array(0).dim(dim), size.MutableBytes());
  return Value(std::move(size));
}

// A dimension cannot exceed its bound. Elements that it gains are zero.
Result<Value> EvalSetDimensionSize(OpContext& cx) {
  const Array& operand = cx.array(0);
  const auto dim = static_cast<size_t>(cx.ints(AttrKey::k_dimensions)[0]);
  Dims dims(operand.dims().begin(), operand.dims().end());
  dims[dim] =
      std::clamp<int64_t>(LoadIndex(cx.array(1).type(), cx.array(1).bytes()), 0, cx.dims()[dim]);
  if (dims[dim] == operand.dim(dim)) return Value(operand);
  Dims shared = dims;
  shared[dim] = std::min(dims[dim], operand.dim(dim));
  const Dims starts(dims.size(), 0);
  Array kept = TakeBox(cx, operand, starts, shared);
  if (shared[dim] == dims[dim]) return Value(std::move(kept));
  Array result = cx.Make(operand.type(), dims);
  PutBox(kept, starts, result);
  return Value(std::move(result));
}

Result<Value> EvalDynamicReshape(OpContext& cx) {
  const Array& operand = cx.array(0);
  Dims dims;
  int64_t count = 1;
  for (size_t i = 1; i < cx.operands.size(); ++i) {
    const int64_t bound = i - 1 < cx.dims().size() ? cx.dims()[i - 1] : 0;
    dims.push_back(
        std::clamp<int64_t>(LoadIndex(cx.array(i).type(), cx.array(i).bytes()), 0, bound));
    count *= dims.back();
  }
  if (count != operand.count()) {
    return cx.Fail(diag::kCannotEvaluate, "the operand has " + std::to_string(operand.count()) +
                                              " elements, the dimensions given are for " +
                                              std::to_string(count));
  }
  return Value(operand.Reshaped(dims));
}

}  // namespace halo
