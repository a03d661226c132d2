// Asks the system once. Where it has neither call nor file, as in WebAssembly, there is no limit.
#include "halo/base/machine_memory.h"

#if defined(__wasm__)

namespace halo {

int64_t GroupMemoryLimit(const std::filesystem::path& /*listing*/,
                         const std::filesystem::path& /*root*/) {
  return INT64_MAX;
}

int64_t MachineMemory() { return INT64_MAX; }

}  // namespace halo

#else

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace halo {
namespace {

int64_t NumberIn(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string text;
  int64_t value = INT64_MAX;
  // "max" means no limit.
  if (in && std::getline(in, text)) std::from_chars(text.data(), text.data() + text.size(), value);
  return value <= 0 ? INT64_MAX : value;
}

int64_t PhysicalMemory() {
#ifdef _SC_PHYS_PAGES
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t size = sysconf(_SC_PAGESIZE);
  int64_t bytes = 0;
  if (pages > 0 && size > 0 && !__builtin_mul_overflow(pages, size, &bytes)) return bytes;
#endif
  return INT64_MAX;
}

}  // namespace

int64_t GroupMemoryLimit(const std::filesystem::path& listing, const std::filesystem::path& root) {
  int64_t least = INT64_MAX;
  std::ifstream in(listing);
  for (std::string line; std::getline(in, line);) {
    // HIERARCHY:CONTROLLERS:/PATH; the second version of control groups is hierarchy 0.
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers =
        std::string_view(line).substr(first + 1, second - first - 1);
    const bool unified = line.starts_with("0:") && controllers.empty();
    if (!unified && controllers != "memory") continue;
    const std::filesystem::path top = unified ? root : root / "memory";
    const char* name = unified ? "memory.max" : "memory.limit_in_bytes";
    // Every group on the way up has a limit. In a container, its own group is the top.
    std::filesystem::path group = std::filesystem::path(line.substr(second + 1)).relative_path();
    for (;; group = group.parent_path()) {
      least = std::min(least, NumberIn(top / group / name));
      if (group.empty()) break;
    }
  }
  return least;
}

int64_t MachineMemory() {
  static const int64_t bytes =
      std::min(PhysicalMemory(), GroupMemoryLimit("/proc/self/cgroup", "/sys/fs/cgroup"));
  return bytes == INT64_MAX ? bytes : bytes - bytes / 16;
}

}  // namespace halo

#endif
