// The vector extensions that kernels may use, in three levels, and loops compiled once per level.
// HALO_MAX_ISA=avx2 or avx512 lowers the level of this process, so that a slower CPU can be
// measured and tested on a faster one; HALO_MAX_ISA=best changes nothing. What a level means for
// generated code and for oneDNN is decided where those are set up.
#ifndef HALO_RUNTIME_CPU_LEVEL_H_
#define HALO_RUNTIME_CPU_LEVEL_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace halo {

enum class CpuLevel : uint8_t {
  kBaseline,  // what every CPU of this architecture has
  kAvx2,      // x86-64-v3: AVX2, FMA and F16C
  kAvx512,    // x86-64-v4: AVX-512 F, BW, CD, DQ and VL
};

CpuLevel BestCpuLevel();

// The value of HALO_MAX_ISA if it is none of the known ones. It limits nothing.
std::optional<std::string_view> UnknownCpuLimit();

// False if HALO_MAX_ISA excludes what CPUs have beyond x86-64-v4: bf16, f16 and tiles.
bool MayUseNewestExtensions();

// Functions called from a loop of ForCpu must be inlined into it.
#define HALO_INLINE inline __attribute__((always_inline))
// For the lambda: [=](auto level) HALO_INLINED { ... }
#define HALO_INLINED __attribute__((always_inline))

template <CpuLevel kLevel>
using CpuLevelTag = std::integral_constant<CpuLevel, kLevel>;

namespace internal {
#if defined(__x86_64__)
template <class Loop>
__attribute__((noinline,
               target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi2"))) auto
RunAvx512(const Loop& loop) {
  return loop(CpuLevelTag<CpuLevel::kAvx512>());
}
template <class Loop>
__attribute__((noinline, target("avx2,fma,f16c,bmi2"))) auto RunAvx2(Loop loop) {
  return loop(CpuLevelTag<CpuLevel::kAvx2>());
}
#endif
}  // namespace internal

// Runs `loop`, compiled for the best level that this process may use. It is given the level as a
// CpuLevelTag, for sizes that depend on the registers. It should capture by value: what it writes
// might be the captured variables otherwise, which keeps loops from being vectorized.
template <class Loop>
auto ForCpu(Loop loop) {
#if defined(__x86_64__)
  const CpuLevel level = BestCpuLevel();
  if (level == CpuLevel::kAvx512) return internal::RunAvx512(loop);
  if (level == CpuLevel::kAvx2) return internal::RunAvx2(loop);
#endif
  return loop(CpuLevelTag<CpuLevel::kBaseline>());
}

}  // namespace halo

#endif  // HALO_RUNTIME_CPU_LEVEL_H_
