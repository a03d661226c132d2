// The compiled engine as a library of its own, which the command loads when it runs something:
// LLVM and oneDNN take longer to load than most questions take to answer.
#include "halo/engine/host_engine.h"
#include "halo/plugins/build_id.h"

#define HALO_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))

HALO_PLUGIN_EXPORT const char* HaloPluginBuildId() { return halo::BuildId(); }

HALO_PLUGIN_EXPORT halo::CompiledEngine* HaloMakeEngine() {
  return halo::MakeHostEngine().release();
}
