// Where libraries lie, and whether they are of this build.
#include "tools/halo/plugins/load_plugin.h"

#include <dlfcn.h>
#include <filesystem>
#include <string_view>

namespace halo::tool {
namespace {

std::string PathOf(const char* library) {
  std::error_code failed;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed);
  for (const std::filesystem::path& folder :
       {own.parent_path(), own.parent_path() / ".." / "lib" / "haloscope"}) {
    if (std::filesystem::exists(folder / library, failed)) return folder / library;
  }
  return {};
}

}  // namespace

bool HasPlugin(const char* library) { return !PathOf(library).empty(); }

void* LoadPlugin(const char* library, const char* version_symbol, std::string& problem) {
  const std::string path = PathOf(library);
  if (path.empty()) {
    problem = "this build has no " + std::string(library);
    return nullptr;
  }
  void* loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    if (const char* said = dlerror()) problem = said;
    return nullptr;
  }
  using Version = const char* (*)();
  const auto version = reinterpret_cast<Version>(dlsym(loaded, version_symbol));
  if (version == nullptr || std::string_view(version()) != HALO_VERSION) {
    problem = std::string(library) + " is not of this version";
    return nullptr;
  }
  return loaded;
}

}  // namespace halo::tool
