// Collects all families in one registry, and defines the op that looks up a target in it.
#include "halo/eval/calls/known_calls.h"

#include <string>

#include "halo/eval/calls/call_support.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"

namespace halo {

CustomCallRegistry KnownCustomCalls() {
  CustomCallRegistry registry;
  RegisterMarkers(registry);
  RegisterGemms(registry);
  RegisterCudnn(registry);
  RegisterAttention(registry);
  RegisterCudnnAttention(registry);
  RegisterLapack(registry);
  RegisterOneDnn(registry);
  RegisterRandom(registry);
  RegisterSelection(registry);
  return registry;
}

Result<Value> EvalCustomCall(OpContext& cx) {
  const std::string_view target = TargetOf(cx);
  if (const CustomCall* call = cx.custom_calls().Find(target)) {
    Result<Value> value = (*call)(cx);
    if (!value || cx.refusal() || HasShape(cx, *value, cx.shape())) return value;
    return BadCall(cx,
                   "yields another shape than the declared " + cx.module.shapes.Text(cx.shape()));
  }
  return cx.Fail(
      diag::kUnknownCustomCall,
      "no implementation is registered for the custom call \"" + std::string(target) + "\"");
}

}  // namespace halo
