// Loads the compiled engine when it is first needed.
#ifndef HALO_PLUGINS_LOAD_ENGINE_H_
#define HALO_PLUGINS_LOAD_ENGINE_H_

#include <memory>
#include <string>

#include "halo/api/run/compiled_engine.h"

namespace halo {

struct LoadedEngine {
  std::unique_ptr<CompiledEngine> engine;  // null if there is none
  std::string problem;                     // why there is none
};

LoadedEngine LoadEngine();

// Another build of this version of the command that has the engine, as the wheel haloscope-engine
// installs it: in lib/haloscope/engine-VERSION next to the command's bin. Its C++ runtime may be
// another one, so it cannot be loaded as a plugin; it runs instead of this command. Both are empty
// if this build has the engine.
struct EngineCommand {
  std::string path;     // empty if there is none
  std::string problem;  // why there is none
};
EngineCommand FindEngineCommand();

// The default folder for compiled code: HALO_CACHE_DIR, or the user's cache folder; empty if there
// is none.
std::string DefaultCacheDir();

}  // namespace halo

#endif  // HALO_PLUGINS_LOAD_ENGINE_H_
