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
#include <unistd.h>

#include "halo/base/control_groups.h"

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
  ForEachControlGroup(
      listing, root, "memory", [&](const std::filesystem::path& group, bool is_unified) {
        least = std::min(least,
                         NumberIn(group / (is_unified ? "memory.max" : "memory.limit_in_bytes")));
      });
  return least;
}

int64_t MachineMemory() {
  static const int64_t bytes =
      std::min(PhysicalMemory(), GroupMemoryLimit(kGroupListing, kGroupRoot));
  return bytes == INT64_MAX ? bytes : bytes - bytes / 16;
}

}  // namespace halo

#endif
