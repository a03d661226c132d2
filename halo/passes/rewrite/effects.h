// Determines which instructions have side effects. Those must stay even if unused, must not be
// merged with equal ones, and must not be duplicated.
#ifndef HALO_PASSES_REWRITE_EFFECTS_H_
#define HALO_PASSES_REWRITE_EFFECTS_H_

#include <vector>

#include "halo/ir/module.h"

namespace halo {

// Considers the opcode alone, not the computations it calls.
bool HasOwnEffect(const Module& module, const Inst& inst);

// True for each computation that has an effect, directly or through one it calls.
std::vector<bool> ComputationsWithEffects(const Module& module);

// HasOwnEffect, or a call of a computation that `with_effects` marks.
bool HasEffect(const Module& module, const Inst& inst, const std::vector<bool>& with_effects);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_EFFECTS_H_
