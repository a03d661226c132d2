// oneDNN takes the most it may use, Highway what it may not.
#include "halo/codegen/limit_libraries.h"

#include <hwy/targets.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

#if defined(__x86_64__)
bool SetLimits() {
  if (MayUseNewestExtensions() || BestCpuLevel() == CpuLevel::kBaseline) return false;
  const bool has_avx512 = BestCpuLevel() == CpuLevel::kAvx512;
  // Fails if oneDNN has been used before, and then the limit does not hold.
  const dnnl::status status =
      dnnl::set_max_cpu_isa(has_avx512 ? dnnl::cpu_isa::avx512_core_vnni : dnnl::cpu_isa::avx2);
  // Highway's better targets have lower bits.
  hwy::DisableTargets((has_avx512 ? HWY_AVX3 : HWY_AVX2) - 1);
  return status == dnnl::status::success;
}
#else
bool SetLimits() { return false; }
#endif

}  // namespace

void LimitLibraries() { static const bool kLimited [[maybe_unused]] = SetLimits(); }

}  // namespace halo
