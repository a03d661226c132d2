// What every custom call has: a target, declared results, and a diagnostic for misuse.
#ifndef HALO_EVAL_CONTEXT_CALL_ERRORS_H_
#define HALO_EVAL_CONTEXT_CALL_ERRORS_H_

#include <string>
#include <string_view>
#include <vector>

#include "halo/eval/context/op_context.h"

namespace halo {

std::string_view TargetOf(const OpContext& cx);

// Returns the diagnostic for a call that does not match what its target expects.
Diagnostic BadCall(const OpContext& cx, const std::string& message);

// Returns the declared results one by one: the tuple's elements, or the single array.
std::vector<ShapeId> ResultParts(const OpContext& cx);

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_CALL_ERRORS_H_
