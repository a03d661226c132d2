// The compiled engine as a library of its own, which the command loads when it runs something:
// LLVM and oneDNN take longer to load than most questions take to answer.
#include "halo/engine/host_engine.h"

extern "C" {

// Made from the same sources as the command, or not used.
const char* HaloEngineVersion() { return HALO_VERSION; }

halo::CompiledEngine* HaloMakeEngine() { return halo::MakeHostEngine().release(); }
}
