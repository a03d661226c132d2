// Sine, cosine and tangent of any float. The number of quarter turns is computed in double: x is
// written as M 2^(24 q) with M below 2^48, and for each q the value of 2^(24 q) quarter turns
// modulo 4 is known to 106 bits, so that the fraction of the product is accurate to about 2^-58.
#include <array>
#include <cmath>

#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/scalar/math_ir.h"

namespace halo {
namespace {

// 2^(24 q) * 2 / pi modulo 4, as an unevaluated sum of two doubles.
struct Turns {
  double high, low;
};
constexpr std::array<Turns, 5> kTurns = {{{0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55},
                                          {-0x1.236377d5ac07bp-1, -0x1.505c1596447e5p-57},
                                          {0x1.529fc2757d1f5p-4, 0x1.a6ee06db14acdp-59},
                                          {0x1.3abe8fa9a6ee0p-3, 0x1.b6c52b3278872p-57},
                                          {0x1.f534ddc0db629p+0, 0x1.664f10e4107f9p-54}}};

struct Angle {
  llvm::Value* quarter;  // i64; only its two lowest bits matter
  llvm::Value* rest;     // double, from -pi/4 to pi/4
};

Angle Reduce(IrBuilder& b, const Real& d, llvm::Value* x) {
  const Real f(b, x);
  llvm::Value* size = f.Abs(x);
  llvm::Value* scale = d.C(1);
  llvm::Value* high = d.C(kTurns[0].high);
  llvm::Value* low = d.C(kTurns[0].low);
  for (size_t q = 1; q < kTurns.size(); ++q) {
    const int step = 24 * static_cast<int>(q);
    llvm::Value* reached = b.CreateFCmpOGE(size, f.C(std::ldexp(1.0, step + 24)));
    scale = b.CreateSelect(reached, d.C(std::ldexp(1.0, -step)), scale);
    high = b.CreateSelect(reached, d.C(kTurns[q].high), high);
    low = b.CreateSelect(reached, d.C(kTurns[q].low), low);
  }
  llvm::Value* m = b.CreateFMul(b.CreateFPExt(x, d.type()), scale);
  llvm::Value* turns = b.CreateFMul(m, high);
  llvm::Value* lost = d.Fma(m, low, d.Fma(m, high, b.CreateFNeg(turns)));
  const Real::Whole whole = d.Nearest(turns);
  llvm::Value* fraction = b.CreateFAdd(b.CreateFSub(turns, whole.value), lost);
  return {whole.bits, b.CreateFMul(fraction, d.C(0x1.921fb54442d18p+0))};
}

llvm::Value* SinNearZero(IrBuilder& b, const Real& f, llvm::Value* x) {
  llvm::Value* square = b.CreateFMul(x, x);
  llvm::Value* p = f.Polynomial(square, {-0x1.555546p-3, 0x1.11072ep-7, -0x1.993d72p-13});
  return f.Fma(b.CreateFMul(x, square), p, x);
}
llvm::Value* CosNearZero(IrBuilder& b, const Real& f, llvm::Value* x) {
  llvm::Value* square = b.CreateFMul(x, x);
  llvm::Value* p = f.Polynomial(square, {0x1.55554ap-5, -0x1.6c0c58p-10, 0x1.99f2dep-16});
  return f.Fma(b.CreateFMul(square, square), p, f.Fma(square, f.C(-0.5), f.C(1)));
}

llvm::Value* HasBit(IrBuilder& b, llvm::Value* bits, uint64_t bit) {
  return b.CreateIsNotNull(b.CreateAnd(bits, b.getInt64(bit)));
}

// The sine of x plus `quarters` quarter turns.
llvm::Value* SinBody(IrBuilder& b, llvm::Value* x, uint64_t quarters) {
  const Real f(b, x);
  const Angle angle = Reduce(b, Real(b, b.getDoubleTy()), x);
  llvm::Value* rest = b.CreateFPTrunc(angle.rest, f.type());
  llvm::Value* quarter = b.CreateAdd(angle.quarter, b.getInt64(quarters));
  llvm::Value* value =
      b.CreateSelect(HasBit(b, quarter, 1), CosNearZero(b, f, rest), SinNearZero(b, f, rest));
  return b.CreateSelect(HasBit(b, quarter, 2), b.CreateFNeg(value), value);
}

// In double, because the quotient would combine the errors of both.
llvm::Value* TanBody(IrBuilder& b, llvm::Value* x) {
  const Real d(b, b.getDoubleTy());
  const Angle angle = Reduce(b, d, x);
  llvm::Value* sin = SinNearZero(b, d, angle.rest);
  llvm::Value* cos = CosNearZero(b, d, angle.rest);
  llvm::Value* odd = HasBit(b, angle.quarter, 1);
  llvm::Value* above = b.CreateSelect(odd, b.CreateFNeg(cos), sin);
  llvm::Value* below = b.CreateSelect(odd, sin, cos);
  return b.CreateFPTrunc(b.CreateFDiv(above, below), x->getType());
}

// Below this, sine and tangent are x itself, including the sign of zero.
llvm::Value* OrItself(IrBuilder& b, llvm::Value* x, llvm::Value* value) {
  const Real f(b, x);
  return b.CreateSelect(b.CreateFCmpOLT(f.Abs(x), f.C(0x1p-13)), x, value);
}

}  // namespace

llvm::Value* EmitSin(IrBuilder& b, llvm::Value* x) {
  return CallInline(b, "halo.sin", x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    return OrItself(in, arguments[0], SinBody(in, arguments[0], 0));
  });
}

llvm::Value* EmitCos(IrBuilder& b, llvm::Value* x) {
  return CallInline(b, "halo.cos", x->getType(), {x},
                    [](IrBuilder& in, IrValues arguments) { return SinBody(in, arguments[0], 1); });
}

llvm::Value* EmitTan(IrBuilder& b, llvm::Value* x) {
  return CallInline(b, "halo.tan", x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    return OrItself(in, arguments[0], TanBody(in, arguments[0]));
  });
}

}  // namespace halo
