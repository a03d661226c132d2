// Integer arithmetic on 64-bit lanes. Narrow types wrap when the result is stored, so only ops that
// depend on the upper end of the type need its width. Division by zero and oversized shifts yield
// what HLO defines.
#include <bit>
#include <limits>

#include "halo/eval/lanes/lane_kernels.h"

namespace halo {
namespace {

using I = int64_t;
using U = uint64_t;

constexpr U Mask(int bits) { return bits >= 64 ? ~U{0} : (U{1} << bits) - 1; }

template <class T>
constexpr auto kAdd =
    [](T a, T b) { return static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); };
template <class T>
constexpr auto kSubtract =
    [](T a, T b) { return static_cast<T>(static_cast<U>(a) - static_cast<U>(b)); };
template <class T>
constexpr auto kMultiply =
    [](T a, T b) { return static_cast<T>(static_cast<U>(a) * static_cast<U>(b)); };
template <class T>
constexpr auto kAnd = [](T a, T b) { return static_cast<T>(a & b); };
template <class T>
constexpr auto kOr = [](T a, T b) { return static_cast<T>(a | b); };
template <class T>
constexpr auto kXor = [](T a, T b) { return static_cast<T>(a ^ b); };
template <class T>
constexpr auto kNegate = [](T a) { return static_cast<T>(U{0} - static_cast<U>(a)); };
template <class T>
constexpr auto kNot = [](T a, int bits) { return static_cast<T>(static_cast<U>(a) ^ Mask(bits)); };

constexpr auto kDivideSigned = [](I a, I b) -> I {
  if (b == 0) return -1;
  if (b == -1) return static_cast<I>(U{0} - static_cast<U>(a));
  return a / b;
};
constexpr auto kDivideUnsigned = [](U a, U b) -> U { return b == 0 ? ~U{0} : a / b; };
constexpr auto kRemainderSigned = [](I a, I b) -> I {
  if (b == 0) return a;
  return b == -1 ? 0 : a % b;
};
constexpr auto kRemainderUnsigned = [](U a, U b) -> U { return b == 0 ? a : a % b; };

constexpr U PowerBits(U base, U exponent) {
  U result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1U) != 0) result *= base;
    base *= base;
  }
  return result;
}
constexpr auto kPowerSigned = [](I a, I b) -> I {
  if (b >= 0) return static_cast<I>(PowerBits(static_cast<U>(a), static_cast<U>(b)));
  if (a == 1) return 1;
  if (a == -1) return (b & 1) != 0 ? -1 : 1;
  return 0;
};
constexpr auto kPowerUnsigned = [](U a, U b) -> U { return PowerBits(a, b); };

// A shift by the width or more, or by a negative amount, leaves 0; an arithmetic shift right leaves
// only the sign.
template <class T>
constexpr auto kShiftLeft = [](T a, T b, int bits) -> T {
  const U by = static_cast<U>(b);
  return by >= static_cast<U>(bits) ? T{0} : static_cast<T>(static_cast<U>(a) << by);
};
template <class T>
constexpr auto kShiftRightLogical = [](T a, T b, int bits) -> T {
  const U by = static_cast<U>(b);
  return by >= static_cast<U>(bits) ? T{0} : static_cast<T>((static_cast<U>(a) & Mask(bits)) >> by);
};
template <class T>
constexpr auto kShiftRightArithmetic = [](T a, T b, int bits) -> T {
  const I value = static_cast<I>(static_cast<U>(a) << (64 - bits)) >> (64 - bits);
  const U by = static_cast<U>(b);
  return static_cast<T>(value >> (by >= static_cast<U>(bits) ? U{63} : by));
};
template <class T>
constexpr auto kCountLeadingZeros = [](T a, int bits) -> T {
  return static_cast<T>(std::countl_zero(static_cast<U>(a) & Mask(bits)) - (64 - bits));
};
template <class T>
constexpr auto kPopulationCount = [](T a, int bits) -> T {
  return static_cast<T>(std::popcount(static_cast<U>(a) & Mask(bits)));
};
template <class T>
constexpr auto kMulhi = [](T a, T b, int bits) -> T {
  using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> bits);
};

template <class T>
LaneKernel FindCommon(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd: return BinaryLanes<T, kAdd<T>>;
    case Opcode::kSubtract: return BinaryLanes<T, kSubtract<T>>;
    case Opcode::kMultiply: return BinaryLanes<T, kMultiply<T>>;
    case Opcode::kMaximum: return BinaryLanes<T, LargerLane<T>>;
    case Opcode::kMinimum: return BinaryLanes<T, SmallerLane<T>>;
    case Opcode::kAnd: return BinaryLanes<T, kAnd<T>>;
    case Opcode::kOr: return BinaryLanes<T, kOr<T>>;
    case Opcode::kXor: return BinaryLanes<T, kXor<T>>;
    case Opcode::kNegate: return UnaryLanes<T, T, kNegate<T>>;
    case Opcode::kNot: return UnaryBits<T, kNot<T>>;
    case Opcode::kShiftLeft: return BinaryBits<T, kShiftLeft<T>>;
    case Opcode::kShiftRightLogical: return BinaryBits<T, kShiftRightLogical<T>>;
    case Opcode::kShiftRightArithmetic: return BinaryBits<T, kShiftRightArithmetic<T>>;
    case Opcode::kClz: return UnaryBits<T, kCountLeadingZeros<T>>;
    case Opcode::kPopulationCount: return UnaryBits<T, kPopulationCount<T>>;
    case Opcode::kMulhi: return BinaryBits<T, kMulhi<T>>;
    case Opcode::kReal: return UnaryLanes<T, T, [](T a) { return a; }>;
    default: return nullptr;
  }
}

}  // namespace

LaneKernel FindIntKernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs: return UnaryLanes<I, I, [](I a) { return a < 0 ? kNegate<I>(a) : a; }>;
    case Opcode::kSign:
      return UnaryLanes<I, I, [](I a) -> I { return (a > 0) ? 1 : (a < 0 ? -1 : 0); }>;
    case Opcode::kDivide: return BinaryLanes<I, kDivideSigned>;
    case Opcode::kRemainder: return BinaryLanes<I, kRemainderSigned>;
    case Opcode::kPower: return BinaryLanes<I, kPowerSigned>;
    default: return FindCommon<I>(opcode);
  }
}

LaneKernel FindUintKernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs: return UnaryLanes<U, U, [](U a) { return a; }>;
    case Opcode::kSign: return UnaryLanes<U, U, [](U a) -> U { return a != 0 ? 1 : 0; }>;
    case Opcode::kDivide: return BinaryLanes<U, kDivideUnsigned>;
    case Opcode::kRemainder: return BinaryLanes<U, kRemainderUnsigned>;
    case Opcode::kPower: return BinaryLanes<U, kPowerUnsigned>;
    default: return FindCommon<U>(opcode);
  }
}

}  // namespace halo
