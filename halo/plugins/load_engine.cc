// Locates the engine's library, an installed command that has one, and the user's cache folder.
#include "halo/plugins/load_engine.h"

#include <cstdlib>
#include <dlfcn.h>

#include "halo/plugins/load_plugin.h"

namespace halo {
namespace {

constexpr const char* kLibrary = "libhalo_engine_plugin.so";

}  // namespace

LoadedEngine LoadEngine() {
  LoadedEngine loaded;
  void* library = LoadPlugin(kLibrary, loaded.problem);
  if (library == nullptr) {
    if (!HasPlugin(kLibrary)) loaded.problem = FindEngineCommand().problem;
    return loaded;
  }
  using Make = CompiledEngine* (*)();
  const auto make = reinterpret_cast<Make>(dlsym(library, "HaloMakeEngine"));
  if (make == nullptr) {
    loaded.problem = std::string(kLibrary) + " lacks HaloMakeEngine";
    return loaded;
  }
  loaded.engine.reset(make());
  return loaded;
}

EngineCommand FindEngineCommand() {
  if (HasPlugin(kLibrary)) return {};
  EngineCommand found;
  found.path = PathFromOwnFolder("../lib/haloscope/engine-" HALO_VERSION "/halo");
  if (found.path.empty()) {
    found.problem =
        "the compiled engine is not installed; `pip install haloscope-engine` adds it to an "
        "installation by pip, and the CMake option HALO_ENGINE to a build";
    return found;
  }
  found.problem = WhyNotTrusted(found.path);
  if (!found.problem.empty()) found.path.clear();
  return found;
}

std::string DefaultCacheDir() {
  if (const char* own = std::getenv("HALO_CACHE_DIR"); own != nullptr) return own;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::string(cache) + "/haloscope";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::string(home) + "/.cache/haloscope";
  }
  return {};
}

}  // namespace halo
