// Linux has a link to it, macOS a function.
#include "halo/plugins/own_executable.h"

#include <system_error>

#if defined(__APPLE__)
#include <climits>
#include <cstdint>
#include <mach-o/dyld.h>
#endif

namespace halo {

std::filesystem::path OwnExecutable() {
  std::error_code failed;
#if defined(__APPLE__)
  char path[PATH_MAX];
  uint32_t size = sizeof path;
  if (_NSGetExecutablePath(path, &size) != 0) return {};
  return std::filesystem::canonical(path, failed);
#else
  return std::filesystem::read_symlink("/proc/self/exe", failed);
#endif
}

}  // namespace halo
