// Asks the system once. Where it has neither threads nor files, as in WebAssembly, there is one
// core.
#include "halo/base/machine_cores.h"

#if defined(__wasm__)

namespace halo {

int64_t GroupCoreLimit(const std::filesystem::path& /*listing*/,
                       const std::filesystem::path& /*root*/) {
  return INT64_MAX;
}

int64_t AllowedCores() { return 1; }

int MachineCores() { return 1; }

}  // namespace halo

#else

#include <algorithm>
#include <fstream>

#ifdef HALO_WITH_THREADS
#include <thread>
#endif
#ifdef __linux__
#include <sched.h>
#endif

#include "halo/base/control_groups.h"

namespace halo {
namespace {

// Microseconds of processor time in each period; "max" and -1 mean no limit.
int64_t CoresFor(std::istream& quota_file, std::istream& period_file) {
  int64_t quota = 0, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period)) return INT64_MAX;
  if (quota <= 0 || period <= 0) return INT64_MAX;
  return quota / period + (quota % period != 0 ? 1 : 0);
}

}  // namespace

int64_t GroupCoreLimit(const std::filesystem::path& listing, const std::filesystem::path& root) {
  int64_t least = INT64_MAX;
  ForEachControlGroup(
      listing, root, "cpu", [&](const std::filesystem::path& group, bool is_unified) {
        std::ifstream quota(group / (is_unified ? "cpu.max" : "cpu.cfs_quota_us"));
        std::ifstream period(group / "cpu.cfs_period_us");
        least = std::min(least, is_unified ? CoresFor(quota, quota) : CoresFor(quota, period));
      });
  return least;
}

int64_t AllowedCores() {
#ifdef __linux__
  cpu_set_t allowed;
  // Fails on machines with more cores than the set has bits, where the mask does not matter.
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  return INT64_MAX;
}

int MachineCores() {
#ifdef HALO_WITH_THREADS
  static const int cores =
      static_cast<int>(std::min({std::max<int64_t>(1, std::thread::hardware_concurrency()),
                                 AllowedCores(), GroupCoreLimit(kGroupListing, kGroupRoot)}));
  return cores;
#else
  return 1;
#endif
}

}  // namespace halo

#endif
