// What every custom call has: a target, and a diagnostic for misuse.
#ifndef HALO_EVAL_CONTEXT_CALL_ERRORS_H_
#define HALO_EVAL_CONTEXT_CALL_ERRORS_H_

#include <string>
#include <string_view>

#include "halo/eval/context/op_context.h"

namespace halo {

std::string_view TargetOf(const OpContext& cx);

// Returns the diagnostic for a call that does not match what its target expects.
Diagnostic BadCall(const OpContext& cx, const std::string& message);

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_CALL_ERRORS_H_
