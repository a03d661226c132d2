// Which instructions do something besides yielding a value, and so must stay even if nobody uses
// them, must not be joined with equal ones and must not be computed twice.
#ifndef HALO_PASSES_REWRITE_EFFECTS_H_
#define HALO_PASSES_REWRITE_EFFECTS_H_

#include <vector>

#include "halo/ir/module.h"

namespace halo {

// Of the opcode alone; what the computations it calls do is not looked at.
bool HasOwnEffect(const Module& module, const Inst& inst);

// True for each computation that holds an effect, its own or that of one it calls.
std::vector<bool> ComputationsWithEffects(const Module& module);

// HasOwnEffect, or a call of a computation that `with_effects` marks.
bool HasEffect(const Module& module, const Inst& inst, const std::vector<bool>& with_effects);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_EFFECTS_H_
