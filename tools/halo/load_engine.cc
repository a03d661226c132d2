// Looking for the engine's library, and for the user's cache folder.
#include "tools/halo/load_engine.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string_view>

namespace halo::tool {
namespace {

constexpr const char* kLibrary = "libhalo_engine_plugin.so";

// Never unloaded: what it made lives as long as the command.
void* OpenLibrary(std::string& problem) {
  std::error_code failed;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed);
  for (const std::filesystem::path& folder :
       {own.parent_path(), own.parent_path() / ".." / "lib" / "haloscope"}) {
    const std::filesystem::path path = folder / kLibrary;
    if (!std::filesystem::exists(path, failed)) continue;
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    if (const char* said = dlerror()) problem = said;
    return nullptr;
  }
  problem = "this build has no compiled engine";
  return nullptr;
}

}  // namespace

LoadedEngine LoadEngine() {
  LoadedEngine loaded;
  void* library = OpenLibrary(loaded.problem);
  if (library == nullptr) return loaded;
  using Version = const char* (*)();
  using Make = CompiledEngine* (*)();
  const auto version = reinterpret_cast<Version>(dlsym(library, "HaloEngineVersion"));
  const auto make = reinterpret_cast<Make>(dlsym(library, "HaloMakeEngine"));
  if (version == nullptr || make == nullptr || std::string_view(version()) != HALO_VERSION) {
    loaded.problem = std::string(kLibrary) + " is not of this version";
    return loaded;
  }
  loaded.engine.reset(make());
  return loaded;
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

}  // namespace halo::tool
