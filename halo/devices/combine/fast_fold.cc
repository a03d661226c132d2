// Sums the members' blocks in a block of doubles that stays in the L1 cache. Adds several members
// at a time so that the block is loaded and stored less often.
#include "halo/devices/combine/fast_fold.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "halo/eval/lanes/lane_kernels.h"
#include "halo/runtime/cpu_level.h"

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

// Adds kMembers members to the totals, in their order.
template <class T, size_t kMembers>
HALO_INLINE void AddMembers(const double* from, Inputs in, double* to, size_t count) {
  using Stored = typename T::Stored;
  const Stored* at[kMembers];
  for (size_t m = 0; m < kMembers; ++m) at[m] = reinterpret_cast<const Stored*>(in[m]);
  for (size_t i = 0; i < count; ++i) {
    double total = from[i];
    for (size_t m = 0; m < kMembers; ++m) total += T::Load(at[m][i]);
    to[i] = total;
  }
}

template <class T>
HALO_INLINE void ChainFloats(const uint8_t* before, Inputs in, uint8_t* after, size_t count,
                             bool is_last) {
  using Stored = typename T::Stored;
  alignas(64) double total[kFoldElements];
  const auto* from = reinterpret_cast<const double*>(before);
  if (before == nullptr) {
    const auto* first = reinterpret_cast<const Stored*>(in[0]);
    for (size_t i = 0; i < count; ++i) total[i] = T::Load(first[i]);
    from = total;
    in = in.subspan(1);
  }
  // The last totals go straight to where they are used.
  constexpr size_t kTogether = 4;
  double* const end = is_last ? total : reinterpret_cast<double*>(after);
  if (in.empty() && end != from) std::memcpy(end, from, count * sizeof(double));
  while (!in.empty()) {
    double* const to = in.size() > kTogether ? total : end;
    switch (in.size()) {
      case 1: AddMembers<T, 1>(from, in, to, count); break;
      case 2: AddMembers<T, 2>(from, in, to, count); break;
      case 3: AddMembers<T, 3>(from, in, to, count); break;
      default: AddMembers<T, kTogether>(from, in, to, count); break;
    }
    in = in.subspan(std::min(in.size(), kTogether));
    from = to;
  }
  if (!is_last) return;
  auto* rounded = reinterpret_cast<Stored*>(after);
  for (size_t i = 0; i < count; ++i) rounded[i] = T::Store(total[i]);
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

template <class T>
void SumInDouble(Inputs in, uint8_t* out, size_t n) {
  ForCpu([=](auto) HALO_INLINED { ChainFloats<T>(nullptr, in, out, n, true); });
}
template <class T>
void ChainInDouble(const uint8_t* before, Inputs in, uint8_t* after, size_t n, bool is_last) {
  ForCpu([=](auto) HALO_INLINED { ChainFloats<T>(before, in, after, n, is_last); });
}
template <class T>
void SumWhole(Inputs in, uint8_t* out, size_t n) {
  ForCpu([=](auto) HALO_INLINED {
    FoldEach<T>(in, out, n, [](T a, T b) { return static_cast<T>(a + b); });
  });
}
template <class T>
void Largest(Inputs in, uint8_t* out, size_t n) {
  ForCpu([=](auto)
             HALO_INLINED { FoldEach<T>(in, out, n, [](T a, T b) { return LargerLane(a, b); }); });
}
template <class T>
void Smallest(Inputs in, uint8_t* out, size_t n) {
  ForCpu([=](auto)
             HALO_INLINED { FoldEach<T>(in, out, n, [](T a, T b) { return SmallerLane(a, b); }); });
}

// For reductions whose state is an element: the state is just another input.
template <FastFold kFold>
void ChainElements(const uint8_t* before, Inputs in, uint8_t* after, size_t n, bool) {
  if (before == nullptr) return kFold(in, after, n);
  std::vector<const uint8_t*> all = {before};
  all.insert(all.end(), in.begin(), in.end());
  kFold(all, after, n);
}

// The vector loops of one reduction: at once, and in steps.
struct Folds {
  FastFold whole = nullptr;
  ChainFold chain;
};
template <class T>
constexpr Folds kInDouble = {SumInDouble<T>, {ChainInDouble<T>, sizeof(double)}};
template <FastFold kFold, class T>
constexpr Folds kByElement = {kFold, {ChainElements<kFold>, sizeof(T)}};
template <class T>
constexpr Folds kOfWhole = kByElement<SumWhole<T>, T>;

Folds SumsOf(ElementType type) {
  switch (type) {
    case ElementType::kF32: return kInDouble<F32>;
    case ElementType::kF64: return kInDouble<F64>;
    case ElementType::kF16: return kInDouble<F16>;
    case ElementType::kBF16: return kInDouble<BF16>;
    case ElementType::kS8:
    case ElementType::kU8: return kOfWhole<uint8_t>;
    case ElementType::kS16:
    case ElementType::kU16: return kOfWhole<uint16_t>;
    case ElementType::kS32:
    case ElementType::kU32: return kOfWhole<uint32_t>;
    case ElementType::kS64:
    case ElementType::kU64: return kOfWhole<uint64_t>;
    default: return {};
  }
}

Folds FoldsOf(ReduceKind kind, ElementType type) {
  switch (kind) {
    case ReduceKind::kSum: return SumsOf(type);
    case ReduceKind::kMax:
      if (type == ElementType::kF32) return kByElement<Largest<float>, float>;
      return type == ElementType::kS32 ? kByElement<Largest<int32_t>, int32_t> : Folds{};
    case ReduceKind::kMin:
      if (type == ElementType::kF32) return kByElement<Smallest<float>, float>;
      return type == ElementType::kS32 ? kByElement<Smallest<int32_t>, int32_t> : Folds{};
    default: return {};
  }
}

}  // namespace

FastFold FastFoldOf(ReduceKind kind, ElementType type) { return FoldsOf(kind, type).whole; }
ChainFold ChainFoldOf(ReduceKind kind, ElementType type) { return FoldsOf(kind, type).chain; }

}  // namespace halo
