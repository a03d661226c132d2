// Values that are computed as fast as they are copied, and computing them once more.
#ifndef HALO_PASSES_MEMORY_REPEAT_H_
#define HALO_PASSES_MEMORY_REPEAT_H_

#include "halo/ir/module.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {

// True for an array that is filled from a scalar or by position, fused or not.
bool IsFilling(const Module& module, InstId inst);

// The same value anew, with a computation of its own if it is a fusion.
InstId Repeat(ModuleEditor& edit, InstId inst);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_REPEAT_H_
