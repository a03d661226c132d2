// The registry, and the op that looks into it.
#include "halo/eval/custom_calls.h"

#include <string>
#include <utility>

#include "halo/eval/call_support.h"
#include "halo/eval/ops.h"

namespace halo {

CustomCallRegistry CustomCallRegistry::Known() {
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

void CustomCallRegistry::Register(std::string target, CustomCall call) {
  calls_.insert_or_assign(std::move(target), std::move(call));
}

const CustomCall* CustomCallRegistry::Find(std::string_view target) const {
  const auto found = calls_.find(target);
  return found == calls_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> CustomCallRegistry::Targets() const {
  std::vector<std::string_view> targets;
  targets.reserve(calls_.size());
  for (const auto& [target, call] : calls_) targets.push_back(target);
  return targets;
}

Result<Value> EvalCustomCall(OpContext& cx) {
  const std::string_view target = TargetOf(cx);
  if (const CustomCall* call = cx.custom_calls().Find(target)) return (*call)(cx);
  return cx.Fail(DiagCode::kUnknownCustomCall,
                 "nothing is known about the custom call \"" + std::string(target) + "\"");
}

}  // namespace halo
