// Finds values that are as fast to recompute as to copy, and recomputes them.
#ifndef HALO_PASSES_MEMORY_REPEAT_H_
#define HALO_PASSES_MEMORY_REPEAT_H_

#include "halo/ir/module.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {

// Returns true for an array that is filled from a scalar or by position, fused or not.
bool IsFilling(const Module& module, InstId inst);

// Computes the same value again, with a separate computation if it is a fusion.
InstId Repeat(ModuleEditor& edit, InstId inst);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_REPEAT_H_
