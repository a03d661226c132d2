// Stand-ins for custom calls without a definition: TARGET=identity yields the operands,
// TARGET=zeros yields zeros. They let a program run past a call whose result does not matter.
#ifndef HALO_EVAL_CALLS_STAND_INS_H_
#define HALO_EVAL_CALLS_STAND_INS_H_

#include <string>
#include <string_view>

#include "halo/eval/context/custom_calls.h"

namespace halo {

// Registers the stand-in that "TARGET=identity" or "TARGET=zeros" requests. Returns false and sets
// `why` if the setting is neither.
bool RegisterStandIn(std::string_view setting, CustomCallRegistry& registry, std::string* why);

// Yields the operands as the result: one for an array, one for each element of a tuple.
Result<Value> IdentityCall(OpContext& cx);
// Yields zeros of the declared shape.
Result<Value> ZerosCall(OpContext& cx);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_STAND_INS_H_
