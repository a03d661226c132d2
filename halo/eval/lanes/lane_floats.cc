// Real arithmetic and functions on doubles, with the accuracy of the C library.
#include <cmath>
#include <limits>

#include "halo/eval/lanes/lane_convert.h"
#include "halo/eval/lanes/lane_kernels.h"
#include "halo/ir/types/float_format.h"

namespace halo {
namespace {

using F = double;

constexpr auto kFloatSign = [](F a) -> F {
  if (std::isnan(a) || a == 0) return a;
  return a > 0 ? 1.0 : -1.0;
};
constexpr auto kFloatLogistic = [](F a) -> F { return 1.0 / (1.0 + std::exp(-a)); };
constexpr auto kRoundAwayFromZero = [](F a) -> F { return std::round(a); };
// The rounding mode is always round-to-nearest-even.
constexpr auto kRoundEven = [](F a) -> F { return std::nearbyint(a); };

// Rounds to a float with fewer exponent and mantissa bits. Values beyond its range become infinity
// or zero.
F ReducePrecision(F value, ElementType type, int exponent_bits, int mantissa_bits) {
  if (!std::isfinite(value) || value == 0) return value;
  const int own_exponent_bits = ReducedExponentBits(type);
  const int lowest_normal = 2 - (1 << (own_exponent_bits - 1));
  const int exponent = std::max(std::ilogb(value), lowest_normal);
  const int quantum = exponent - mantissa_bits;
  F scaled = std::nearbyint(std::scalbn(value, -quantum));
  // With no mantissa bits left, the lowest bit of the exponent field decides ties. The bias is odd,
  // so the field is even where the exponent is odd.
  if (mantissa_bits == 0 && exponent % 2 != 0 && std::scalbn(std::fabs(value), -exponent) == 1.5) {
    scaled = std::copysign(1.0, value);
  }
  const F rounded = std::scalbn(scaled, quantum);
  if (exponent_bits >= own_exponent_bits) return rounded;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (rounded == 0 || std::ilogb(rounded) < 1 - bias) return std::copysign(0.0, value);
  if (std::ilogb(rounded) > bias) {
    return std::copysign(std::numeric_limits<F>::infinity(), value);
  }
  return rounded;
}

void ReducePrecisionKernel(const LaneOp& op, const void* const* in, void* out, size_t n) {
  const auto* a = static_cast<const F*>(in[0]);
  auto* to = static_cast<F*>(out);
  for (size_t i = 0; i < n; ++i) {
    to[i] = ReducePrecision(a[i], op.type, op.exponent_bits, op.mantissa_bits);
  }
}

// Rounds up in magnitude with probability equal to the discarded fraction: the random bits are read
// as a fraction of one.
void StochasticConvertKernel(const LaneOp& op, const void* const* in, void* out, size_t n) {
  const auto* a = static_cast<const F*>(in[0]);
  const auto* random = static_cast<const uint64_t*>(in[1]);
  const int bits = InfoOf(op.type).bits;
  for (size_t i = 0; i < n; ++i) {
    F whole = std::trunc(a[i]);
    const F rest = std::fabs(a[i] - whole);
    if (std::scalbn(static_cast<F>(random[i]), -bits) < rest) whole += std::copysign(1.0, a[i]);
    ConvertLanes(op.type, op.result, &whole,
                 static_cast<unsigned char*>(out) + i * LaneSize(LaneKindOf(op.result)), 1);
  }
}

LaneKernel FindFloatFunction(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos: return UnaryLanes<F, F, [](F a) -> F { return std::acos(a); }>;
    case Opcode::kAcosh: return UnaryLanes<F, F, [](F a) -> F { return std::acosh(a); }>;
    case Opcode::kAsin: return UnaryLanes<F, F, [](F a) -> F { return std::asin(a); }>;
    case Opcode::kAsinh: return UnaryLanes<F, F, [](F a) -> F { return std::asinh(a); }>;
    case Opcode::kAtanh: return UnaryLanes<F, F, [](F a) -> F { return std::atanh(a); }>;
    case Opcode::kCbrt: return UnaryLanes<F, F, [](F a) -> F { return std::cbrt(a); }>;
    case Opcode::kCos: return UnaryLanes<F, F, [](F a) -> F { return std::cos(a); }>;
    case Opcode::kCosh: return UnaryLanes<F, F, [](F a) -> F { return std::cosh(a); }>;
    case Opcode::kErf: return UnaryLanes<F, F, [](F a) -> F { return std::erf(a); }>;
    case Opcode::kExp: return UnaryLanes<F, F, [](F a) -> F { return std::exp(a); }>;
    case Opcode::kExpm1: return UnaryLanes<F, F, [](F a) -> F { return std::expm1(a); }>;
    case Opcode::kLog: return UnaryLanes<F, F, [](F a) -> F { return std::log(a); }>;
    case Opcode::kLog1p: return UnaryLanes<F, F, [](F a) -> F { return std::log1p(a); }>;
    case Opcode::kLogistic: return UnaryLanes<F, F, kFloatLogistic>;
    case Opcode::kRsqrt: return UnaryLanes<F, F, [](F a) -> F { return 1.0 / std::sqrt(a); }>;
    case Opcode::kSin: return UnaryLanes<F, F, [](F a) -> F { return std::sin(a); }>;
    case Opcode::kSinh: return UnaryLanes<F, F, [](F a) -> F { return std::sinh(a); }>;
    case Opcode::kSqrt: return UnaryLanes<F, F, [](F a) -> F { return std::sqrt(a); }>;
    case Opcode::kTan: return UnaryLanes<F, F, [](F a) -> F { return std::tan(a); }>;
    case Opcode::kTanh: return UnaryLanes<F, F, [](F a) -> F { return std::tanh(a); }>;
    default: return nullptr;
  }
}

}  // namespace

int ReducedExponentBits(ElementType type) {
  if (type == ElementType::kF8E8M0FNU) return 8;  // its values are beyond the range of f16
  if (InfoOf(type).bits < 16) return FloatFormatOf(ElementType::kF16).exponent_bits;
  return FloatFormatOf(type).exponent_bits;
}

LaneKernel FindFloatKernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs: return UnaryLanes<F, F, [](F a) -> F { return std::fabs(a); }>;
    case Opcode::kAdd: return BinaryLanes<F, [](F a, F b) { return a + b; }>;
    case Opcode::kAtan2: return BinaryLanes<F, [](F a, F b) -> F { return std::atan2(a, b); }>;
    case Opcode::kCeil: return UnaryLanes<F, F, [](F a) -> F { return std::ceil(a); }>;
    case Opcode::kDivide: return BinaryLanes<F, [](F a, F b) { return a / b; }>;
    case Opcode::kFloor: return UnaryLanes<F, F, [](F a) -> F { return std::floor(a); }>;
    case Opcode::kImag: return UnaryLanes<F, F, [](F /*a*/) -> F { return 0.0; }>;
    case Opcode::kIsFinite:
      return UnaryLanes<F, uint64_t, [](F a) -> uint64_t { return std::isfinite(a) ? 1 : 0; }>;
    case Opcode::kMaximum: return BinaryLanes<F, LargerLane<F>>;
    case Opcode::kMinimum: return BinaryLanes<F, SmallerLane<F>>;
    case Opcode::kMultiply: return BinaryLanes<F, [](F a, F b) { return a * b; }>;
    case Opcode::kNegate: return UnaryLanes<F, F, [](F a) { return -a; }>;
    case Opcode::kPower: return BinaryLanes<F, [](F a, F b) -> F { return std::pow(a, b); }>;
    case Opcode::kReal: return UnaryLanes<F, F, [](F a) { return a; }>;
    case Opcode::kReducePrecision: return ReducePrecisionKernel;
    case Opcode::kRemainder: return BinaryLanes<F, [](F a, F b) -> F { return std::fmod(a, b); }>;
    case Opcode::kRoundNearestAfz: return UnaryLanes<F, F, kRoundAwayFromZero>;
    case Opcode::kRoundNearestEven: return UnaryLanes<F, F, kRoundEven>;
    case Opcode::kSign: return UnaryLanes<F, F, kFloatSign>;
    case Opcode::kStochasticConvert: return StochasticConvertKernel;
    case Opcode::kSubtract: return BinaryLanes<F, [](F a, F b) { return a - b; }>;
    default: return FindFloatFunction(opcode);
  }
}

}  // namespace halo
