// The passes of the pipeline, each in a file named after it. All return true if they changed the
// module. pipeline.h determines the order in which they run.
#ifndef HALO_PASSES_HOST_HOST_PASSES_H_
#define HALO_PASSES_HOST_HOST_PASSES_H_

#include "halo/ir/module.h"
#include "halo/passes/rewrite/pass.h"

namespace halo {

bool HostLayouts(Module& module, PassLog& log);
bool WholeAliases(Module& module, PassLog& log);
bool Synchronize(Module& module, PassLog& log);
bool SingleDevice(Module& module, PassLog& log);
bool InlineCalls(Module& module, PassLog& log);
bool MatchTypes(Module& module, PassLog& log);
bool Simplify(Module& module, PassLog& log);
bool FoldConstants(Module& module, PassLog& log);
bool ShareEqual(Module& module, PassLog& log);
bool SimplifyLoops(Module& module, PassLog& log);
bool SplitDots(Module& module, PassLog& log);
bool ExpandArgmax(Module& module, PassLog& log);
bool ExpandDots(Module& module, PassLog& log);
bool FreeTransposes(Module& module, PassLog& log);
bool Decompose(Module& module, PassLog& log);
bool Fuse(Module& module, PassLog& log);

}  // namespace halo

#endif  // HALO_PASSES_HOST_HOST_PASSES_H_
