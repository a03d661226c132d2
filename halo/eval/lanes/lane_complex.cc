// Complex arithmetic and functions on pairs of doubles.
#include <cmath>
#include <limits>

#include "halo/eval/lanes/lane_kernels.h"

namespace halo {
namespace {

using F = double;
using C = std::complex<double>;

// The plain formula, which is XLA's: where a part is infinite, the result may be NaN, unlike that
// of std::complex.
constexpr auto kComplexProduct = [](C a, C b) -> C {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
};
// Smith's formula with the recovery of annex G of the C standard, for floats, which need no scaling
// in double. Dividing std::complex calls a function of the C library that fuses multiply-adds where
// the CPU can; this gives the same bits on every CPU, and those of compiled code.
constexpr auto kFloatQuotient = [](C a, C b) -> C {
  const bool steep = std::fabs(b.real()) < std::fabs(b.imag());
  const F ratio = steep ? b.real() / b.imag() : b.imag() / b.real();
  const F below = steep ? b.real() * ratio + b.imag() : b.imag() * ratio + b.real();
  const F real = steep ? a.real() * ratio + a.imag() : a.imag() * ratio + a.real();
  const F imag = steep ? a.imag() * ratio - a.real() : a.imag() - a.real() * ratio;
  const C quotient(real / below, imag / below);
  if (!std::isnan(quotient.real()) || !std::isnan(quotient.imag())) return quotient;
  constexpr F kInfinity = std::numeric_limits<F>::infinity();
  const auto any_infinite = [](C x) { return std::isinf(x.real()) || std::isinf(x.imag()); };
  const auto is_finite = [](C x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); };
  const auto boxed = [](C x) {
    return C(std::copysign(std::isinf(x.real()) ? 1.0 : 0.0, x.real()),
             std::copysign(std::isinf(x.imag()) ? 1.0 : 0.0, x.imag()));
  };
  const auto scaled = [](F by, C x) { return C(by * x.real(), by * x.imag()); };
  if (b.real() == 0 && b.imag() == 0 && (!std::isnan(a.real()) || !std::isnan(a.imag()))) {
    return scaled(std::copysign(kInfinity, b.real()), a);
  }
  if (any_infinite(a) && is_finite(b)) {
    return scaled(kInfinity, kComplexProduct(boxed(a), std::conj(b)));
  }
  if (any_infinite(b) && is_finite(a)) {
    return scaled(0, kComplexProduct(a, std::conj(boxed(b))));
  }
  return quotient;
};
constexpr auto kComplexSign = [](C a) -> C {
  const F size = std::abs(a);
  return size == 0 || std::isnan(size) ? a : a / size;
};
constexpr auto kExpm1 = [](C a) -> C {
  // exp(x) cos(y) - 1, without cancellation near zero.
  const F grown = std::expm1(a.real());
  const F half = std::sin(a.imag() / 2);
  return {grown * std::cos(a.imag()) - 2 * half * half, std::exp(a.real()) * std::sin(a.imag())};
};
constexpr auto kLog1p = [](C a) -> C {
  const F x = a.real();
  const F y = a.imag();
  if (std::fabs(x) < 0.5 && std::fabs(y) < 0.5) {
    return {0.5 * std::log1p(x * (2 + x) + y * y), std::atan2(y, 1 + x)};
  }
  return std::log(C(1 + x, y));
};
constexpr auto kComplexLogistic = [](C a) -> C { return C(1) / (C(1) + std::exp(-a)); };
constexpr auto kPower = [](C a, C b) -> C {
  if (b == C(0)) return {1, 0};
  if (a == C(0)) return {0, 0};
  return std::pow(a, b);
};
// Does not use std::polar, which requires a radius that is not NaN.
constexpr auto kCbrt = [](C a) -> C {
  const double radius = std::cbrt(std::abs(a));
  const double angle = std::arg(a) / 3;
  return {radius * std::cos(angle), radius * std::sin(angle)};
};
// -i log((x + iy) / sqrt(x^2 + y^2))
constexpr auto kAtan2 = [](C y, C x) -> C {
  const C i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
};

LaneKernel FindComplexFunction(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos: return UnaryLanes<C, C, [](C a) -> C { return std::acos(a); }>;
    case Opcode::kAcosh: return UnaryLanes<C, C, [](C a) -> C { return std::acosh(a); }>;
    case Opcode::kAsin: return UnaryLanes<C, C, [](C a) -> C { return std::asin(a); }>;
    case Opcode::kAsinh: return UnaryLanes<C, C, [](C a) -> C { return std::asinh(a); }>;
    case Opcode::kAtanh: return UnaryLanes<C, C, [](C a) -> C { return std::atanh(a); }>;
    case Opcode::kCbrt: return UnaryLanes<C, C, kCbrt>;
    case Opcode::kCos: return UnaryLanes<C, C, [](C a) -> C { return std::cos(a); }>;
    case Opcode::kCosh: return UnaryLanes<C, C, [](C a) -> C { return std::cosh(a); }>;
    case Opcode::kExp: return UnaryLanes<C, C, [](C a) -> C { return std::exp(a); }>;
    case Opcode::kExpm1: return UnaryLanes<C, C, kExpm1>;
    case Opcode::kLog: return UnaryLanes<C, C, [](C a) -> C { return std::log(a); }>;
    case Opcode::kLog1p: return UnaryLanes<C, C, kLog1p>;
    case Opcode::kLogistic: return UnaryLanes<C, C, kComplexLogistic>;
    case Opcode::kRsqrt: return UnaryLanes<C, C, [](C a) -> C { return C(1) / std::sqrt(a); }>;
    case Opcode::kSin: return UnaryLanes<C, C, [](C a) -> C { return std::sin(a); }>;
    case Opcode::kSinh: return UnaryLanes<C, C, [](C a) -> C { return std::sinh(a); }>;
    case Opcode::kSqrt: return UnaryLanes<C, C, [](C a) -> C { return std::sqrt(a); }>;
    case Opcode::kTan: return UnaryLanes<C, C, [](C a) -> C { return std::tan(a); }>;
    case Opcode::kTanh: return UnaryLanes<C, C, [](C a) -> C { return std::tanh(a); }>;
    default: return nullptr;
  }
}

}  // namespace

LaneKernel FloatQuotientKernel() { return BinaryLanes<C, kFloatQuotient>; }

LaneKernel FindComplexKernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs: return UnaryLanes<C, F, [](C a) -> F { return std::abs(a); }>;
    case Opcode::kAdd: return BinaryLanes<C, [](C a, C b) { return a + b; }>;
    case Opcode::kAtan2: return BinaryLanes<C, kAtan2>;
    case Opcode::kDivide: return BinaryLanes<C, [](C a, C b) { return a / b; }>;
    case Opcode::kImag: return UnaryLanes<C, F, [](C a) { return a.imag(); }>;
    case Opcode::kMultiply: return BinaryLanes<C, kComplexProduct>;
    case Opcode::kNegate: return UnaryLanes<C, C, [](C a) { return -a; }>;
    case Opcode::kPower: return BinaryLanes<C, kPower>;
    case Opcode::kReal: return UnaryLanes<C, F, [](C a) { return a.real(); }>;
    case Opcode::kSign: return UnaryLanes<C, C, kComplexSign>;
    case Opcode::kSubtract: return BinaryLanes<C, [](C a, C b) { return a - b; }>;
    default: return FindComplexFunction(opcode);
  }
}

}  // namespace halo
