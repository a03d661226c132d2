// Logarithms. x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). For floats, log(1 + f) =
// f - f^2/2 + f^3 p(f) with a minimax polynomial p; for doubles, the series of artanh(f / (2 + f)).
#include <cmath>

#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/scalar/math_ir.h"

namespace halo {
namespace {

// log(1 + x) = 2 artanh(s) with s = x / (2 + x), which is x - h + s (h + t) with h = x^2 / 2 and t
// the terms of the series beyond the first: h is exact enough to keep x's last bits. If x has an
// error, `more` is what it adds to the logarithm.
llvm::Value* SumLogDouble(IrBuilder& b, const Real& f, llvm::Value* exponent, llvm::Value* x,
                          llvm::Value* more = nullptr) {
  llvm::Value* s = b.CreateFDiv(x, b.CreateFAdd(x, f.C(2)));
  llvm::Value* z = b.CreateFMul(s, s);
  llvm::Value* t =
      b.CreateFMul(z, f.SplitPolynomial(z, {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13,
                                            2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21}));
  llvm::Value* h = b.CreateFMul(b.CreateFMul(x, f.C(0.5)), x);
  llvm::Value* small = b.CreateFMul(exponent, f.C(kLn2ShortError));
  if (more != nullptr) small = b.CreateFAdd(small, more);
  small = f.Fma(s, b.CreateFAdd(h, t), small);
  return f.Fma(exponent, f.C(kLn2Short), b.CreateFSub(x, b.CreateFSub(h, small)));
}

// exponent * ln 2 + log(1 + f), adding the small terms first.
llvm::Value* SumLog(IrBuilder& b, const Real& f, llvm::Value* exponent, llvm::Value* x) {
  if (f.is_double()) return SumLogDouble(b, f, exponent, x);
  llvm::Value* square = b.CreateFMul(x, x);
  llvm::Value* p =
      f.Polynomial(x, {0x1.555546p-2, -0x1.ffffeep-3, 0x1.99a55ap-3, -0x1.5562fep-3, 0x1.23310ap-3,
                       -0x1.fb3d52p-4, 0x1.e6663cp-4, -0x1.e316fep-4, 0x1.1b4670p-4});
  llvm::Value* small = f.Fma(b.CreateFMul(x, square), p, b.CreateFMul(exponent, f.C(kLn2Low)));
  small = f.Fma(square, f.C(-0.5), small);
  return f.Fma(exponent, f.C(kLn2High), b.CreateFAdd(x, small));
}

// -inf at `pole`, NaN below it; infinity and NaN map to themselves.
llvm::Value* WithSpecials(IrBuilder& b, const Real& f, double pole, llvm::Value* x,
                          llvm::Value* value) {
  value = b.CreateSelect(b.CreateFCmpOLT(x, f.Infinity()), value, x);
  value = b.CreateSelect(b.CreateFCmpOEQ(x, f.C(pole)), b.CreateFNeg(f.Infinity()), value);
  return b.CreateSelect(b.CreateFCmpOLT(x, f.C(pole)), f.Nan(), value);
}

llvm::Value* LogBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  const int lift = f.mantissa_bits() + 2;
  llvm::Value* is_subnormal = b.CreateFCmpOLT(x, f.C(f.is_double() ? 0x1p-1022 : 0x1p-126));
  llvm::Value* normal =
      b.CreateSelect(is_subnormal, b.CreateFMul(x, f.C(std::ldexp(1.0, lift))), x);
  const Real::Split split = f.SplitExponent(normal);
  llvm::Value* lifted = b.CreateSelect(is_subnormal, f.I(-lift), f.I(0));
  llvm::Value* exponent = f.FromExponent(b.CreateAdd(split.exponent, lifted));
  llvm::Value* value = SumLog(b, f, exponent, b.CreateFSub(split.scaled, f.C(1)));
  return WithSpecials(b, f, 0, x, value);
}

// 1 + x = 2^exponent (1 + fraction). Without the rounding error of 1 + x, the fraction is
// x / 2^exponent + (1 / 2^exponent - 1).
struct OnePlus {
  llvm::Value* exponent;  // as a number
  llvm::Value* fraction;
  llvm::Value* scale;  // 2^-exponent
};
// Where `is_great`, those of x times 2^lift: there adding 1 makes no difference, and 2^-exponent
// could underflow, so x is scaled first.
OnePlus SplitOnePlus(IrBuilder& b, const Real& f, llvm::Value* x, llvm::Value* is_great, int lift) {
  llvm::Value* own = b.CreateSelect(is_great, b.CreateFMul(x, f.C(0x1p-64)), x);
  llvm::Value* one = b.CreateSelect(is_great, f.C(0), f.C(1));
  const Real::Split split = f.SplitExponent(b.CreateFAdd(own, one));
  llvm::Value* scale = f.PowerOfTwo(b.CreateNeg(split.exponent));
  llvm::Value* fraction = f.Fma(own, scale, b.CreateFSub(b.CreateFMul(scale, one), f.C(1)));
  llvm::Value* lifted = b.CreateSelect(is_great, f.I(64 + lift), f.I(0));
  return {f.FromExponent(b.CreateAdd(split.exponent, lifted)), fraction, scale};
}

llvm::Value* Log1pBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  const OnePlus sum = SplitOnePlus(b, f, x, b.CreateFCmpOGT(x, f.C(0x1p60)), 0);
  llvm::Value* value = WithSpecials(b, f, -1, x, SumLog(b, f, sum.exponent, sum.fraction));
  return b.CreateSelect(b.CreateFCmpOEQ(x, f.C(0)), x, value);
}

// The sum of two numbers and its rounding error.
struct Sum {
  llvm::Value* value;
  llvm::Value* error;
};
Sum ExactSum(IrBuilder& b, llvm::Value* x, llvm::Value* y) {
  llvm::Value* sum = b.CreateFAdd(x, y);
  llvm::Value* y_in_sum = b.CreateFSub(sum, x);
  llvm::Value* x_in_sum = b.CreateFSub(sum, y_in_sum);
  return {sum, b.CreateFAdd(b.CreateFSub(x, x_in_sum), b.CreateFSub(y, y_in_sum))};
}

// log(1 + t + sqrt(2t + t^2)) with t = x - 1, which is exact. The sum is computed together with its
// error. For great x, this is log(2x).
llvm::Value* AcoshBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  llvm::Value* is_great = b.CreateFCmpOGT(x, f.C(0x1p28));
  llvm::Value* t = b.CreateSelect(is_great, f.C(1), b.CreateFSub(x, f.C(1)));
  llvm::Value* square = b.CreateFMul(t, t);
  const Sum radicand = ExactSum(b, b.CreateFMul(t, f.C(2)), square);
  llvm::Value* radicand_error = b.CreateFAdd(radicand.error, f.Fma(t, t, b.CreateFNeg(square)));
  llvm::Value* root = f.Sqrt(radicand.value);
  llvm::Value* rest = b.CreateFAdd(f.Fma(b.CreateFNeg(root), root, radicand.value), radicand_error);
  const Sum argument = ExactSum(b, root, t);
  llvm::Value* error =
      b.CreateFAdd(argument.error, b.CreateFDiv(b.CreateFMul(rest, f.C(0.5)), root));
  const OnePlus sum = SplitOnePlus(b, f, b.CreateSelect(is_great, x, argument.value), is_great, 1);
  llvm::Value* more =
      b.CreateFDiv(b.CreateFMul(error, sum.scale), b.CreateFAdd(sum.fraction, f.C(1)));
  more = b.CreateSelect(is_great, f.C(0), more);
  llvm::Value* value = SumLogDouble(b, f, sum.exponent, sum.fraction, more);
  value = b.CreateSelect(b.CreateFCmpOLT(x, f.Infinity()), value, x);
  value = b.CreateSelect(b.CreateFCmpOEQ(x, f.C(1)), f.C(0), value);
  return b.CreateSelect(b.CreateFCmpOLT(x, f.C(1)), f.Nan(), value);
}

}  // namespace

llvm::Value* EmitLog(IrBuilder& b, llvm::Value* x) {
  const char* name = x->getType()->isDoubleTy() ? "halo.log.f64" : "halo.log";
  return CallInline(b, name, x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    return LogBody(in, Real(in, arguments[0]), arguments[0]);
  });
}

llvm::Value* EmitLog1p(IrBuilder& b, llvm::Value* x) {
  const char* name = x->getType()->isDoubleTy() ? "halo.log1p.f64" : "halo.log1p";
  return CallInline(b, name, x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    return Log1pBody(in, Real(in, arguments[0]), arguments[0]);
  });
}

llvm::Value* EmitAcoshOfDouble(IrBuilder& b, llvm::Value* x) {
  return CallInline(b, "halo.acosh.f64", x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    return AcoshBody(in, Real(in, arguments[0]), arguments[0]);
  });
}

}  // namespace halo
