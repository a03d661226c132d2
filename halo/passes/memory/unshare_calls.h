// Gives every loop, branch and call separate computations, so that each of their values has a
// single location in memory.
#ifndef HALO_PASSES_MEMORY_UNSHARE_CALLS_H_
#define HALO_PASSES_MEMORY_UNSHARE_CALLS_H_

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"

namespace halo {

// Fails if the program would grow too large. The program must not be recursive.
Result<Module> UnshareCalls(Module module);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_UNSHARE_CALLS_H_
