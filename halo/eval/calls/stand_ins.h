// Stand-ins for custom calls nobody has defined: TARGET=identity yields the operands, TARGET=zeros
// yields zeros. They let a program run past a call whose result does not matter.
#ifndef HALO_EVAL_CALLS_STAND_INS_H_
#define HALO_EVAL_CALLS_STAND_INS_H_

#include <string>
#include <string_view>

#include "halo/eval/context/custom_calls.h"

namespace halo {

// Adds what "TARGET=identity" or "TARGET=zeros" says; false, and why, if it says neither.
bool RegisterStandIn(std::string_view setting, CustomCallRegistry& registry, std::string* why);

// The operands as the result: one for an array, one each for a tuple's elements.
Result<Value> IdentityCall(OpContext& cx);
// Zeros of the declared shape.
Result<Value> ZerosCall(OpContext& cx);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_STAND_INS_H_
