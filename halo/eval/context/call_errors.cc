// Reads custom calls as their instruction declares them.
#include "halo/eval/context/call_errors.h"

#include "halo/eval/context/eval_diagnostics.h"

namespace halo {

std::string_view TargetOf(const OpContext& cx) { return cx.text(AttrKey::k_custom_call_target); }

Diagnostic BadCall(const OpContext& cx, const std::string& message) {
  return cx.Fail(diag::kBadCustomCall, std::string(TargetOf(cx)) + ": " + message);
}

std::vector<ShapeId> ResultParts(const OpContext& cx) {
  if (!cx.module.shapes.is_tuple(cx.shape())) return {cx.shape()};
  const std::span<const ShapeId> parts = cx.module.shapes.elements(cx.shape());
  return {parts.begin(), parts.end()};
}

}  // namespace halo
