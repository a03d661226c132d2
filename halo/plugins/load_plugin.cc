// Searches for a plugin, checks who could have put it there, and compares build ids before using
// anything else of it.
#include "halo/plugins/load_plugin.h"

#include <dlfcn.h>
#include <filesystem>
#include <string_view>

#include "halo/base/build_id.h"
#include "halo/plugins/own_executable.h"
#include "halo/plugins/trusted_file.h"

namespace halo {
namespace {

// The binary that contains this code: the command, or libhaloscope in any program.
std::filesystem::path OwnBinary() {
  static const char kHere = 0;
  Dl_info info;
  if (dladdr(&kHere, &info) != 0 && info.dli_fname != nullptr) {
    const std::string_view name = info.dli_fname;
    if (name.find(".so") != std::string_view::npos || name.ends_with(".dylib")) {
      std::error_code failed;
      return std::filesystem::canonical(name, failed);
    }
  }
  return OwnExecutable();
}

std::string PathOf(const char* library) {
  // In a build folder; next to lib/libhaloscope.so; next to lib/<architecture>/libhaloscope.so;
  // from bin/halo.
  for (const char* folder : {".", "haloscope", "../haloscope", "../lib/haloscope"}) {
    std::string path = PathFromOwnFolder(std::filesystem::path(folder) / library);
    if (!path.empty()) return path;
  }
  return {};
}

}  // namespace

std::string PathFromOwnFolder(const std::filesystem::path& relative) {
  const std::filesystem::path own = OwnBinary();
  // A relative path would depend on the working folder, in which anyone may have put a file.
  if (!own.is_absolute()) return {};
  std::error_code failed;
  const std::filesystem::path path = (own.parent_path() / relative).lexically_normal();
  return std::filesystem::exists(path, failed) ? path.string() : std::string();
}

std::string WhyNotTrusted(const std::string& path) {
  if (IsTrustedBy(OwnBinary().string(), path)) return {};
  return path +
         " can be replaced by users who cannot replace this program; make it and its folder "
         "writable by their owner only";
}

bool HasPlugin(const char* library) { return !PathOf(library).empty(); }

void* LoadPlugin(const char* library, std::string& problem) {
  const std::string path = PathOf(library);
  if (path.empty()) {
    problem = "this build has no " + std::string(library);
    return nullptr;
  }
  problem = WhyNotTrusted(path);
  if (!problem.empty()) return nullptr;
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
