// The compiled engine as a separate library, which the command loads when it runs a module: loading
// LLVM and oneDNN takes longer than most requests.
#include "halo/base/build_id.h"
#include "halo/engine/host_engine.h"

#define HALO_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))

HALO_PLUGIN_EXPORT const char* HaloPluginBuildId() { return halo::BuildId(); }

HALO_PLUGIN_EXPORT halo::CompiledEngine* HaloMakeEngine() {
  return halo::MakeHostEngine().release();
}
