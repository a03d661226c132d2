// Reads custom calls as their instruction declares them.
#include "halo/eval/context/call_errors.h"

#include "halo/eval/context/eval_diagnostics.h"

namespace halo {

std::string_view TargetOf(const OpContext& cx) { return cx.text(AttrKey::k_custom_call_target); }

Diagnostic BadCall(const OpContext& cx, const std::string& message) {
  return cx.Fail(diag::kBadCustomCall, std::string(TargetOf(cx)) + ": " + message);
}

}  // namespace halo
