// The vectors of each CPU level, and squares of them transposed in registers. For loops that are
// called from ForCpu.
#ifndef HALO_CODEGEN_LIBRARY_LIB_VECTORS_H_
#define HALO_CODEGEN_LIBRARY_LIB_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "halo/runtime/cpu_level.h"

// Vectors are passed by value only to functions that are inlined into their callers.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

namespace halo {

template <class T, CpuLevel kLevel>
struct LevelVectors {
  static constexpr int64_t kBytes = kLevel == CpuLevel::kAvx512 ? 64
                                    : kLevel == CpuLevel::kAvx2 ? 32
                                                                : 16;
  static constexpr int64_t kCount = kBytes / sizeof(T);
  using Vector = T __attribute__((vector_size(kBytes)));
  using Lanes = std::make_index_sequence<static_cast<size_t>(kCount)>;

  static HALO_INLINE Vector Load(const T* from) {
    Vector value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  static HALO_INLINE void Store(const Vector& value, T* to) {
    std::memcpy(to, &value, sizeof(value));
  }
};

namespace internal {

// Of each block of 2 * kHalf lanes, the first (kUpper = 0) or second halves of both vectors.
template <size_t kHalf, int kUpper, class V, size_t... kLane>
HALO_INLINE V Halves(const V& a, const V& b, std::index_sequence<kLane...> /*lanes*/) {
  constexpr size_t kCount = sizeof...(kLane);
  return __builtin_shufflevector(
      a, b,
      static_cast<int>((kLane & kHalf) != 0 ? kCount + kLane - (kUpper == 0 ? kHalf : 0)
                                            : kLane + (kUpper == 0 ? 0 : kHalf))...);
}

// Of each block of 2 * kHalf lanes, the first half plus the second: those of a, then those of b.
template <size_t kHalf, class V, size_t... kLane>
HALO_INLINE V Folded(const V& a, const V& b, std::index_sequence<kLane...> /*lanes*/) {
  constexpr size_t kCount = sizeof...(kLane);
  constexpr auto kFrom = [](size_t lane) {
    const size_t kept = lane % (kCount / 2);
    return kept / kHalf * 2 * kHalf + kept % kHalf + lane / (kCount / 2) * kCount;
  };
  return __builtin_shufflevector(a, b, static_cast<int>(kFrom(kLane))...) +
         __builtin_shufflevector(a, b, static_cast<int>(kFrom(kLane) + kHalf)...);
}

}  // namespace internal

// The sums of kSums vectors, a power of two up to the number of lanes, as the first elements of the
// result: together they take little longer than one of them. The vectors are overwritten.
template <class Vectors, int64_t kSums, int64_t kHalf = Vectors::kCount / 2>
HALO_INLINE typename Vectors::Vector SumsOfVectors(typename Vectors::Vector* v) {
  if constexpr (kHalf == 0) {
    return v[0];
  } else {
    constexpr int64_t kLeft = kSums > 1 ? kSums / 2 : 1;
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < kLeft; ++i) {
      v[i] = internal::Folded<static_cast<size_t>(kHalf)>(v[2 * i], v[kSums == 1 ? 0 : 2 * i + 1],
                                                          typename Vectors::Lanes());
    }
    return SumsOfVectors<Vectors, kLeft, kHalf / 2>(v);
  }
}

// Transposes a square of vectors: exchanges halves, then halves of halves.
template <class Vectors, size_t kHalf = static_cast<size_t>(Vectors::kCount) / 2>
HALO_INLINE void TransposeVectors(typename Vectors::Vector* v) {
  using Lanes = typename Vectors::Lanes;
#pragma clang loop unroll(full)
  for (size_t i = 0; i < static_cast<size_t>(Vectors::kCount); ++i) {
    if ((i & kHalf) != 0) continue;
    const auto a = v[i];
    const auto b = v[i + kHalf];
    v[i] = internal::Halves<kHalf, 0>(a, b, Lanes());
    v[i + kHalf] = internal::Halves<kHalf, 1>(a, b, Lanes());
  }
  if constexpr (kHalf > 1) TransposeVectors<Vectors, kHalf / 2>(v);
}

}  // namespace halo

#pragma clang diagnostic pop

#endif  // HALO_CODEGEN_LIBRARY_LIB_VECTORS_H_
