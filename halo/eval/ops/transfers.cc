// send and recv. Between devices they are pairs that collective-permute can also express, and dumps
// contain the latter. A recv has no peer here, so its completion is rejected. Starts and a
// completed send yield their declared form.
#include <string>

#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"

namespace halo {
namespace {

// (data, context, token) of an in-flight send or recv.
Value Started(const OpContext& cx, Value data) {
  std::vector<Value> parts;
  parts.push_back(std::move(data));
  const std::span<const ShapeId> shapes = cx.module.shapes.elements(cx.shape());
  for (size_t i = 1; i < shapes.size(); ++i) {
    const ShapeId shape = shapes[i];
    if (cx.module.shapes.is_array(shape)) {
      parts.emplace_back(cx.Make(cx.module.shapes.type(shape), cx.module.shapes.dims(shape)));
    } else {
      parts.push_back(Value::Token());
    }
  }
  return Value::Tuple(std::move(parts));
}

}  // namespace

Result<Value> EvalSend(OpContext& cx) { return Started(cx, cx.operand(0)); }
Result<Value> EvalSendDone(OpContext& /*cx*/) { return Value::Token(); }
Result<Value> EvalRecv(OpContext& cx) { return Started(cx, Value::Tuple({})); }

Result<Value> EvalRecvDone(OpContext& cx) {
  const bool from_host = cx.flag(AttrKey::k_is_host_transfer);
  return cx.Fail(diag::kUnsupportedTransfer,
                 from_host ? "waits for data from the host"
                           : "waits for data that another device sends over channel " +
                                 std::to_string(cx.integer(AttrKey::k_channel_id, 0)));
}

}  // namespace halo
