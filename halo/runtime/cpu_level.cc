// Reads HALO_MAX_ISA once.
#include "halo/runtime/cpu_level.h"

#include <cstdlib>
#include <string_view>

namespace halo {
namespace {

std::string_view Limit() {
  static const char* const kText = std::getenv("HALO_MAX_ISA");
  return kText == nullptr ? std::string_view() : std::string_view(kText);
}

CpuLevel LevelOfMachine() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2")) {
    return CpuLevel::kBaseline;
  }
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx512 && Limit() != "avx2") return CpuLevel::kAvx512;
  return CpuLevel::kAvx2;
#else
  return CpuLevel::kBaseline;
#endif
}

}  // namespace

CpuLevel BestCpuLevel() {
  static const CpuLevel kLevel = LevelOfMachine();
  return kLevel;
}

std::optional<std::string_view> UnknownCpuLimit() {
  const std::string_view limit = Limit();
  if (limit.empty() || limit == "avx2" || limit == "avx512" || limit == "best") return std::nullopt;
  return limit;
}

bool MayUseNewestExtensions() { return Limit() != "avx2" && Limit() != "avx512"; }

}  // namespace halo
