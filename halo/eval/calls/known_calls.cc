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
  if (const CustomCall* call = cx.custom_calls().Find(target)) return (*call)(cx);
  return cx.Fail(
      diag::kUnknownCustomCall,
      "no implementation is registered for the custom call \"" + std::string(target) + "\"");
}

}  // namespace halo
