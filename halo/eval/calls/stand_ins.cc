// A stand-in must still yield the declared shape: operands of another shape are rejected.
#include "halo/eval/calls/stand_ins.h"

#include <utility>
#include <vector>

#include "halo/eval/calls/call_support.h"

namespace halo {

Result<Value> IdentityCall(OpContext& cx) {
  if (!cx.operands.empty() && HasShape(cx, cx.operand(0), cx.shape())) {
    return std::move(cx.operand(0));
  }
  if (cx.module.shapes.is_tuple(cx.shape())) {
    Value tuple = Value::Tuple({cx.operands.begin(), cx.operands.end()});
    if (HasShape(cx, tuple, cx.shape())) return tuple;
  }
  return BadCall(cx,
                 "is replaced by identity, but the shapes of its operands are not the declared " +
                     cx.module.shapes.Text(cx.shape()));
}

Result<Value> ZerosCall(OpContext& cx) { return FinishCall(cx, {}); }

bool RegisterStandIn(std::string_view setting, CustomCallRegistry& registry, std::string* why) {
  const size_t equals = setting.rfind('=');
  const std::string_view meaning =
      equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
  if (equals == 0 || (meaning != "identity" && meaning != "zeros")) {
    *why = "a replacement is written TARGET=identity or TARGET=zeros";
    return false;
  }
  registry.Register(std::string(setting.substr(0, equals)),
                    meaning == "identity" ? IdentityCall : ZerosCall);
  return true;
}

}  // namespace halo
