// Gives every loop, branch and call computations of its own, so that their values have one place in
// memory each.
#ifndef HALO_PASSES_MEMORY_UNSHARE_CALLS_H_
#define HALO_PASSES_MEMORY_UNSHARE_CALLS_H_

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"

namespace halo {

// Fails if the program would grow beyond all bounds. It must not call itself.
Result<Module> UnshareCalls(Module module);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_UNSHARE_CALLS_H_
