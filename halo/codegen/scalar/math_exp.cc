// The exponential function and functions built on it. x = n ln 2 + r, and e^r = 1 + r + r^2 q(r)
// for |r| up to half of ln 2: with a minimax polynomial q for floats and the Taylor series for
// doubles.
#include <llvm/IR/IntrinsicsX86.h>

#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/scalar/math_ir.h"
#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

constexpr double kLog2E = 0x1.71547652b82fep+0;

struct ExpParts {
  Real::Whole n;
  llvm::Value* r;
  llvm::Value* q;  // q(r)
};

// True if one instruction can scale vectors of floats by powers of two.
bool HasVectorScale() { return BestCpuLevel() == CpuLevel::kAvx512; }

// value * 2^n for values near one, rounded once. When multiplications are used, the power is
// applied in two steps, since 2^n may be outside the normal range although the result is not.
llvm::Value* Scaled(IrBuilder& b, const Real& f, llvm::Value* value, const Real::Whole& n) {
  const auto twice = [&](IrBuilder& in, llvm::Value* x, llvm::Value* power) {
    const Real g(in, x);
    llvm::Value* half = in.CreateAShr(power, 1);
    x = in.CreateFMul(x, g.PowerOfTwo(half));
    return in.CreateFMul(x, g.PowerOfTwo(in.CreateSub(power, half)));
  };
  if (f.is_double()) {
    // There is no arithmetic shift of 64-bit integers before AVX-512.
    llvm::Value* half = f.NearestProduct(n.value, 0.5).bits;
    value = b.CreateFMul(value, f.PowerOfTwo(half));
    return b.CreateFMul(value, f.PowerOfTwo(b.CreateSub(n.bits, half)));
  }
  if (!HasVectorScale()) return twice(b, value, n.bits);
  return CallWidened(
      b, "halo.scaled", f.type(), {value, n.value},
      [&](IrBuilder& in, IrValues arguments) {
        // For NaN the power is arbitrary; the product is NaN anyway.
        llvm::Value* power = in.CreateFPToSI(arguments[1], in.getInt32Ty());
        return twice(in, arguments[0], in.CreateFreeze(power));
      },
      {8, 16},
      [](IrBuilder& in, IrValues arguments) -> llvm::Value* {
        llvm::Type* type = arguments[0]->getType();
        const auto lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
        llvm::SmallVector<llvm::Value*, 5> all = {arguments[0], arguments[1],
                                                  llvm::PoisonValue::get(type),
                                                  in.getIntN(lanes, (1U << lanes) - 1)};
        if (lanes == 8)
          return in.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_256, {}, all);
        all.push_back(in.getInt32(4));  // current rounding mode
        return in.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {}, all);
      });
}

// For |x| below about 10^6.
ExpParts SplitExp(const Real& f, llvm::Value* x) {
  const Real::Whole n = f.NearestProduct(x, kLog2E);
  if (f.is_double()) {
    llvm::Value* r = f.Fma(n.value, f.C(-kLn2Double), x);
    r = f.Fma(n.value, f.C(-kLn2DoubleError), r);
    llvm::Value* q = f.SplitPolynomial(
        r, {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
            1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800});
    return {n, r, q};
  }
  llvm::Value* r = f.Fma(n.value, f.C(-kLn2High), x);
  r = f.Fma(n.value, f.C(-kLn2Low), r);
  llvm::Value* q =
      f.Polynomial(r, {0x1.fffffcp-2, 0x1.55548ap-3, 0x1.555916p-5, 0x1.123fc6p-7, 0x1.6a1a6ep-10});
  return {n, r, q};
}

// e^r - 1.
llvm::Value* Rest(IrBuilder& b, const Real& f, const ExpParts& parts) {
  return f.Fma(b.CreateFMul(parts.r, parts.r), parts.q, parts.r);
}

// Outside the clamp range the result is zero or infinite. A product that underflows takes a hundred
// times as long as others, and masked attention scores all underflow: they are computed as e^0.
llvm::Value* ExpBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  llvm::Value* is_zero = b.CreateFCmpOLT(x, f.C(f.is_double() ? -746 : -104));
  const double most = f.is_double() ? 710 : 89;
  const ExpParts parts = SplitExp(f, b.CreateSelect(is_zero, f.C(0), f.AtMost(most, x)));
  llvm::Value* slope = f.Fma(parts.r, parts.q, f.C(1));
  return b.CreateSelect(is_zero, f.C(0), Scaled(b, f, f.Fma(parts.r, slope, f.C(1)), parts.n));
}

// 2^n (e^r - 1) + (2^n - 1), computed at half scale so that 2^n does not overflow before the result
// does.
llvm::Value* Expm1Body(IrBuilder& b, const Real& f, llvm::Value* x) {
  const double least = f.is_double() ? -40 : -30;
  const double most = f.is_double() ? 710 : 89;
  const ExpParts parts = SplitExp(f, f.AtLeast(least, f.AtMost(most, x)));
  llvm::Value* rest = Rest(b, f, parts);
  llvm::Value* half = f.PowerOfTwo(b.CreateSub(parts.n.bits, f.I(1)));
  llvm::Value* value = f.Fma(half, rest, b.CreateFSub(half, f.C(0.5)));
  value = b.CreateFAdd(value, value);
  const double tiny = f.is_double() ? 0x1p-54 : 0x1p-24;
  return b.CreateSelect(b.CreateFCmpOLT(f.Abs(x), f.C(tiny)), x, value);
}

// e^-|x| never overflows: use 1 / (1 + e^-x) for positive x and e^x / (1 + e^x) for negative x.
llvm::Value* LogisticBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  llvm::Value* small = EmitExp(b, b.CreateFNeg(f.Abs(x)));
  llvm::Value* above = b.CreateSelect(b.CreateFCmpOLT(x, f.C(0)), small, f.C(1));
  return b.CreateFDiv(above, b.CreateFAdd(small, f.C(1)));
}

// t / (t + 2) for t = e^(-2|x|) - 1, which is between -1 and 0: no power of two needs two steps,
// and for tiny x, t is -2|x|.
llvm::Value* TanhBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  const double least = f.is_double() ? -40 : -30;
  const ExpParts parts = SplitExp(f, f.AtLeast(least, b.CreateFMul(f.Abs(x), f.C(-2))));
  llvm::Value* rest = Rest(b, f, parts);
  llvm::Value* power = f.PowerOfTwo(parts.n.bits);
  llvm::Value* t = f.Fma(power, rest, b.CreateFSub(power, f.C(1)));
  return f.WithSignOf(x, b.CreateFDiv(t, b.CreateFAdd(t, f.C(2))));
}

// (e^|x| + e^-|x|) / 2, of which the larger part is not rounded before the sum. Computed at half
// scale, so that nothing overflows before the result does.
llvm::Value* CoshBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  constexpr double kBeyond = 710.6;
  const ExpParts parts = SplitExp(f, f.AtMost(kBeyond, f.Abs(x)));
  llvm::Value* rest = Rest(b, f, parts);
  llvm::Value* power = f.PowerOfTwo(b.CreateSub(parts.n.bits, f.I(2)));
  llvm::Value* grown = f.Fma(power, rest, power);
  llvm::Value* shrunk = b.CreateFDiv(f.C(1.0 / 16), grown);
  llvm::Value* value = b.CreateFAdd(power, f.Fma(power, rest, shrunk));
  return b.CreateFAdd(value, value);
}

template <auto Body>
llvm::Value* Defined(IrBuilder& b, std::string name, llvm::Value* x) {
  if (x->getType()->isDoubleTy()) name += ".f64";
  return CallInline(b, name, x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    return Body(in, Real(in, arguments[0]), arguments[0]);
  });
}

}  // namespace

llvm::Value* EmitExp(IrBuilder& b, llvm::Value* x) { return Defined<ExpBody>(b, "halo.exp", x); }
llvm::Value* EmitExpm1(IrBuilder& b, llvm::Value* x) {
  return Defined<Expm1Body>(b, "halo.expm1", x);
}
llvm::Value* EmitLogistic(IrBuilder& b, llvm::Value* x) {
  return Defined<LogisticBody>(b, "halo.logistic", x);
}
llvm::Value* EmitTanh(IrBuilder& b, llvm::Value* x) { return Defined<TanhBody>(b, "halo.tanh", x); }
llvm::Value* EmitCoshOfDouble(IrBuilder& b, llvm::Value* x) {
  return Defined<CoshBody>(b, "halo.cosh", x);
}

}  // namespace halo
