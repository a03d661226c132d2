// Sums the members' blocks in a block of doubles that stays in the L1 cache. Adds several members
// at a time so that the block is loaded and stored less often.
#include "halo/devices/combine/fast_fold.h"

#include <bit>
#include <cstring>

#include "halo/eval/lanes/lane_kernels.h"
#include "halo/runtime/vector_clones.h"

namespace halo {
namespace {

using Inputs = std::span<const uint8_t* const>;

// How to read an element type as a double and round back, to nearest even.
struct F32 {
  using Stored = float;
  static HALO_INLINE double Load(float x) { return x; }
  static HALO_INLINE float Store(double x) { return static_cast<float>(x); }
};
struct F64 {
  using Stored = double;
  static HALO_INLINE double Load(double x) { return x; }
  static HALO_INLINE double Store(double x) { return x; }
};

// Round to odd: the float keeps enough of the double to be rounded again to fewer bits.
HALO_INLINE uint32_t ToOdd(double x) {
  const auto near = static_cast<float>(x);
  const double back = near;
  uint32_t bits = std::bit_cast<uint32_t>(near);
  const bool inexact = back != x && x == x;
  const bool away = (back < 0 ? -back : back) > (x < 0 ? -x : x);
  bits -= inexact && away ? 1U : 0U;
  return inexact ? bits | 1U : bits;
}

struct BF16 {
  using Stored = uint16_t;
  static HALO_INLINE double Load(uint16_t x) {
    return std::bit_cast<float>(static_cast<uint32_t>(x) << 16);
  }
  static HALO_INLINE uint16_t Store(double x) {
    const uint32_t bits = ToOdd(x);
    const uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    const uint32_t quiet = (bits >> 16) | 0x40U;
    return static_cast<uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? quiet : rounded);
  }
};

struct F16 {
  using Stored = _Float16;
  static HALO_INLINE double Load(_Float16 x) { return static_cast<float>(x); }
  static HALO_INLINE _Float16 Store(double x) {
    return static_cast<_Float16>(std::bit_cast<float>(ToOdd(x)));
  }
};

template <class T>
HALO_INLINE void SumFloats(Inputs in, uint8_t* out, size_t count) {
  using Stored = typename T::Stored;
  alignas(64) double total[kFoldElements];
  const auto at = [&](size_t m) { return reinterpret_cast<const Stored*>(in[m]); };
  const Stored* first = at(0);
  for (size_t i = 0; i < count; ++i) total[i] = T::Load(first[i]);
  size_t m = 1;
  for (; m + 4 <= in.size(); m += 4) {
    const Stored* a = at(m);
    const Stored* b = at(m + 1);
    const Stored* c = at(m + 2);
    const Stored* d = at(m + 3);
    for (size_t i = 0; i < count; ++i) {
      total[i] = (((total[i] + T::Load(a[i])) + T::Load(b[i])) + T::Load(c[i])) + T::Load(d[i]);
    }
  }
  for (; m < in.size(); ++m) {
    const Stored* a = at(m);
    for (size_t i = 0; i < count; ++i) total[i] += T::Load(a[i]);
  }
  auto* to = reinterpret_cast<Stored*>(out);
  for (size_t i = 0; i < count; ++i) to[i] = T::Store(total[i]);
}

template <class T, class Combine>
HALO_INLINE void FoldEach(Inputs in, uint8_t* out, size_t count, const Combine& combine) {
  alignas(64) T total[kFoldElements];
  std::memcpy(total, in[0], count * sizeof(T));
  for (size_t m = 1; m < in.size(); ++m) {
    const auto* next = reinterpret_cast<const T*>(in[m]);
    for (size_t i = 0; i < count; ++i) total[i] = combine(total[i], next[i]);
  }
  std::memcpy(out, total, count * sizeof(T));
}

HALO_CLONES void SumF32(Inputs in, uint8_t* out, size_t n) { SumFloats<F32>(in, out, n); }
HALO_CLONES void SumF64(Inputs in, uint8_t* out, size_t n) { SumFloats<F64>(in, out, n); }
HALO_CLONES void SumF16(Inputs in, uint8_t* out, size_t n) { SumFloats<F16>(in, out, n); }
HALO_CLONES void SumBF16(Inputs in, uint8_t* out, size_t n) { SumFloats<BF16>(in, out, n); }

constexpr auto kAdd = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
HALO_CLONES void SumU8(Inputs in, uint8_t* out, size_t n) { FoldEach<uint8_t>(in, out, n, kAdd); }
HALO_CLONES void SumU16(Inputs in, uint8_t* out, size_t n) { FoldEach<uint16_t>(in, out, n, kAdd); }
HALO_CLONES void SumU32(Inputs in, uint8_t* out, size_t n) { FoldEach<uint32_t>(in, out, n, kAdd); }
HALO_CLONES void SumU64(Inputs in, uint8_t* out, size_t n) { FoldEach<uint64_t>(in, out, n, kAdd); }

constexpr auto kMax = [](auto a, auto b) { return LargerLane(a, b); };
constexpr auto kMin = [](auto a, auto b) { return SmallerLane(a, b); };
HALO_CLONES void MaxF32(Inputs in, uint8_t* out, size_t n) { FoldEach<float>(in, out, n, kMax); }
HALO_CLONES void MinF32(Inputs in, uint8_t* out, size_t n) { FoldEach<float>(in, out, n, kMin); }
HALO_CLONES void MaxS32(Inputs in, uint8_t* out, size_t n) { FoldEach<int32_t>(in, out, n, kMax); }
HALO_CLONES void MinS32(Inputs in, uint8_t* out, size_t n) { FoldEach<int32_t>(in, out, n, kMin); }

FastFold SumOf(ElementType type) {
  switch (type) {
    case ElementType::kF32: return SumF32;
    case ElementType::kF64: return SumF64;
    case ElementType::kF16: return SumF16;
    case ElementType::kBF16: return SumBF16;
    case ElementType::kS8:
    case ElementType::kU8: return SumU8;
    case ElementType::kS16:
    case ElementType::kU16: return SumU16;
    case ElementType::kS32:
    case ElementType::kU32: return SumU32;
    case ElementType::kS64:
    case ElementType::kU64: return SumU64;
    default: return nullptr;
  }
}

}  // namespace

FastFold FastFoldOf(ReduceKind kind, ElementType type) {
  switch (kind) {
    case ReduceKind::kSum: return SumOf(type);
    case ReduceKind::kMax:
      if (type == ElementType::kF32) return MaxF32;
      return type == ElementType::kS32 ? MaxS32 : nullptr;
    case ReduceKind::kMin:
      if (type == ElementType::kF32) return MinF32;
      return type == ElementType::kS32 ? MinS32 : nullptr;
    default: return nullptr;
  }
}

}  // namespace halo
