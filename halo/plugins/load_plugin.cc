// Searches for a plugin, and compares build ids before using anything else of it.
#include "halo/plugins/load_plugin.h"

#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <string_view>

#include "halo/base/build_id.h"

namespace halo {
namespace {

// The folder of the binary that contains this code: the command, or libhaloscope in any program.
std::filesystem::path OwnFolder() {
  static const char kHere = 0;
  std::error_code failed;
  Dl_info info;
  if (dladdr(&kHere, &info) != 0 && info.dli_fname != nullptr) {
    const std::string_view name = info.dli_fname;
    if (name.find(".so") != std::string_view::npos) {
      return std::filesystem::canonical(name, failed).parent_path();
    }
  }
  return std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
}

std::string PathOf(const char* library) {
  // In a build folder; next to lib/libhaloscope.so; next to lib/<architecture>/libhaloscope.so;
  // from bin/halo.
  constexpr std::array<const char*, 4> kFolders = {".", "haloscope", "../haloscope",
                                                   "../lib/haloscope"};
  std::error_code failed;
  const std::filesystem::path own = OwnFolder();
  // A relative path would depend on the working folder, in which anyone may have put a file.
  if (!own.is_absolute()) return {};
  for (const char* folder : kFolders) {
    const std::filesystem::path path = (own / folder / library).lexically_normal();
    if (std::filesystem::exists(path, failed)) return path.string();
  }
  return {};
}

}  // namespace

bool HasPlugin(const char* library) { return !PathOf(library).empty(); }

void* LoadPlugin(const char* library, std::string& problem) {
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
  using Identify = const char* (*)();
  const auto identify = reinterpret_cast<Identify>(dlsym(loaded, "HaloPluginBuildId"));
  const std::string_view theirs = identify == nullptr ? "unknown" : identify();
  if (theirs != BuildId()) {
    problem = path + " comes from another build (build id " + std::string(theirs) + ", expected " +
              BuildId() + "); build and install it together with this program";
    return nullptr;
  }
  return loaded;
}

}  // namespace halo
