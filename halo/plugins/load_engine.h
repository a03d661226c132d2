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

// The default folder for compiled code: HALO_CACHE_DIR, or the user's cache folder; empty if there
// is none.
std::string DefaultCacheDir();

}  // namespace halo

#endif  // HALO_PLUGINS_LOAD_ENGINE_H_
