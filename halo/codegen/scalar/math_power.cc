// Functions of floats that are computed in double, because the logarithm or the square of a float
// does not have enough precision: powers, roots, hyperbolic functions and their inverses.
#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/scalar/math_ir.h"

namespace halo {
namespace {

constexpr double kLog2EDouble = 0x1.71547652b82fep+0;
constexpr double kLn2 = 0x1.62e42fefa39efp-1;

// log2(m) = s p(s^2) with s = (m - 1) / (m + 1).
llvm::Value* Log2Body(IrBuilder& b, const Real& d, llvm::Value* x) {
  const Real::Split split = d.SplitExponent(x);
  llvm::Value* s =
      b.CreateFDiv(b.CreateFSub(split.scaled, d.C(1)), b.CreateFAdd(split.scaled, d.C(1)));
  llvm::Value* p = d.Polynomial(
      b.CreateFMul(s, s),
      {0x1.71547652b82ffp+1, 0x1.ec709dc39c609p-1, 0x1.2776c51715386p-1, 0x1.a61755ef25e6dp-2,
       0x1.484fd267cc255p-2, 0x1.0bb2d1fbb8b7fp-2, 0x1.f1fd572de5ae9p-3});
  llvm::Value* value = d.Fma(s, p, b.CreateSIToFP(split.exponent, d.type()));
  value = b.CreateSelect(b.CreateFCmpOLT(x, d.Infinity()), value, x);
  return b.CreateSelect(b.CreateFCmpOEQ(x, d.C(0)), b.CreateFNeg(d.Infinity()), value);
}

llvm::Value* Exp2Body(IrBuilder& b, const Real& d, llvm::Value* x) {
  llvm::Value* clamped = d.AtLeast(-300, d.AtMost(300, x));
  const Real::Whole n = d.Nearest(clamped);
  llvm::Value* p =
      d.Polynomial(b.CreateFSub(clamped, n.value),
                   {0x1.0000000000086p+0, 0x1.62e42fef823f7p-1, 0x1.ebfbdff8022d9p-3,
                    0x1.c6b08ddd52f0dp-5, 0x1.3b2ab7423455ep-7, 0x1.5d873e20f1ac3p-10,
                    0x1.43086912ee40bp-13, 0x1.00e14173c7329p-16, 0x1.6414bfb3ff5f0p-20});
  return b.CreateFMul(p, d.PowerOfTwo(n.bits));
}

llvm::Value* Floor(IrBuilder& b, llvm::Value* x) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
}

// As in C's pow: 1 for x = 1 or y = 0 even with NaN, and NaN for a negative x with a non-integer y.
llvm::Value* PowerBody(IrBuilder& b, llvm::Value* x, llvm::Value* y) {
  const Real f(b, x);
  const Real d(b, b.getDoubleTy());
  llvm::Value* size = f.Abs(x);
  llvm::Value* log = EmitLog2Double(b, b.CreateFPExt(size, d.type()));
  llvm::Value* product = b.CreateFMul(b.CreateFPExt(y, d.type()), log);
  // Otherwise infinite powers of -1 would be NaN.
  product = b.CreateSelect(b.CreateFCmpOEQ(size, f.C(1)), d.C(0), product);
  llvm::Value* value = b.CreateFPTrunc(EmitExp2Double(b, product), f.type());
  llvm::Value* is_whole = b.CreateFCmpOEQ(Floor(b, y), y);
  llvm::Value* half = b.CreateFMul(y, f.C(0.5));
  llvm::Value* is_odd = b.CreateAnd(is_whole, b.CreateFCmpUNE(Floor(b, half), half));
  value = b.CreateSelect(is_odd, f.WithSignOf(x, value), value);
  llvm::Value* is_negative =
      b.CreateAnd(b.CreateFCmpOLT(x, f.C(0)), b.CreateFCmpONE(size, f.Infinity()));
  llvm::Value* is_nan =
      b.CreateOr(b.CreateAnd(is_negative, b.CreateNot(is_whole)), b.CreateFCmpUNO(x, y));
  value = b.CreateSelect(is_nan, f.Nan(), value);
  llvm::Value* is_one = b.CreateOr(b.CreateFCmpOEQ(y, f.C(0)), b.CreateFCmpOEQ(x, f.C(1)));
  return b.CreateSelect(is_one, f.C(1), value);
}

// Applies `body` to |x| as a double and returns a float with the sign of x. If |x| is below
// `itself`, the result is x + cubic x^3.
template <class Body>
llvm::Value* OddFunction(IrBuilder& b, const char* name, llvm::Value* x, double itself,
                         double cubic, const Body& body) {
  return CallInline(b, name, x->getType(), {x}, [&](IrBuilder& in, IrValues arguments) {
    llvm::Value* own = arguments[0];
    const Real f(in, own);
    const Real d(in, in.getDoubleTy());
    llvm::Value* size = in.CreateFPExt(f.Abs(own), d.type());
    llvm::Value* value = f.WithSignOf(own, in.CreateFPTrunc(body(in, d, size), f.type()));
    if (itself == 0) return value;
    llvm::Value* cube = in.CreateFMul(in.CreateFMul(own, own), own);
    llvm::Value* series = f.WithSignOf(own, f.Fma(cube, f.C(cubic), own));
    return in.CreateSelect(in.CreateFCmpOLT(f.Abs(own), f.C(itself)), series, value);
  });
}

llvm::Value* ExpDouble(IrBuilder& b, const Real& d, llvm::Value* x) {
  return EmitExp2Double(b, b.CreateFMul(x, d.C(kLog2EDouble)));
}
llvm::Value* LogDouble(IrBuilder& b, const Real& d, llvm::Value* x) {
  return b.CreateFMul(EmitLog2Double(b, x), d.C(kLn2));
}

}  // namespace

llvm::Value* EmitLog2Double(IrBuilder& b, llvm::Value* x) {
  return CallInline(b, "halo.log2_f64", x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    return Log2Body(in, Real(in, arguments[0]), arguments[0]);
  });
}

llvm::Value* EmitExp2Double(IrBuilder& b, llvm::Value* x) {
  return CallInline(b, "halo.exp2_f64", x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    return Exp2Body(in, Real(in, arguments[0]), arguments[0]);
  });
}

llvm::Value* EmitPower(IrBuilder& b, llvm::Value* x, llvm::Value* y) {
  return CallInline(b, "halo.power", x->getType(), {x, y}, [](IrBuilder& in, IrValues arguments) {
    return PowerBody(in, arguments[0], arguments[1]);
  });
}

llvm::Value* EmitCbrt(IrBuilder& b, llvm::Value* x) {
  return OddFunction(b, "halo.cbrt", x, 0, 0, [](IrBuilder& in, const Real& d, llvm::Value* size) {
    return EmitExp2Double(in, in.CreateFMul(EmitLog2Double(in, size), d.C(1.0 / 3)));
  });
}

llvm::Value* EmitSinh(IrBuilder& b, llvm::Value* x) {
  return OddFunction(b, "halo.sinh", x, 0x1p-6, 1.0 / 6,
                     [](IrBuilder& in, const Real& d, llvm::Value* size) {
                       llvm::Value* grown = ExpDouble(in, d, size);
                       llvm::Value* shrunk = in.CreateFDiv(d.C(1), grown);
                       return in.CreateFMul(in.CreateFSub(grown, shrunk), d.C(0.5));
                     });
}

llvm::Value* EmitCosh(IrBuilder& b, llvm::Value* x) {
  return CallInline(b, "halo.cosh", x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    const Real d(in, in.getDoubleTy());
    llvm::Value* grown = ExpDouble(in, d, in.CreateFPExt(arguments[0], d.type()));
    llvm::Value* sum = in.CreateFAdd(grown, in.CreateFDiv(d.C(1), grown));
    return in.CreateFPTrunc(in.CreateFMul(sum, d.C(0.5)), arguments[0]->getType());
  });
}

llvm::Value* EmitAsinh(IrBuilder& b, llvm::Value* x) {
  return OddFunction(b, "halo.asinh", x, 0x1p-8, -1.0 / 6,
                     [](IrBuilder& in, const Real& d, llvm::Value* size) {
                       llvm::Value* root = d.Sqrt(d.Fma(size, size, d.C(1)));
                       return LogDouble(in, d, in.CreateFAdd(size, root));
                     });
}

llvm::Value* EmitAcosh(IrBuilder& b, llvm::Value* x) {
  return CallInline(b, "halo.acosh", x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    const Real f(in, arguments[0]);
    const Real d(in, in.getDoubleTy());
    llvm::Value* wide = in.CreateFPExt(arguments[0], d.type());
    llvm::Value* root = d.Sqrt(d.Fma(wide, wide, d.C(-1)));
    llvm::Value* value = in.CreateFPTrunc(LogDouble(in, d, in.CreateFAdd(wide, root)), f.type());
    return in.CreateSelect(in.CreateFCmpOLT(arguments[0], f.C(1)), f.Nan(), value);
  });
}

llvm::Value* EmitAtanh(IrBuilder& b, llvm::Value* x) {
  return OddFunction(b, "halo.atanh", x, 0x1p-8, 1.0 / 3,
                     [](IrBuilder& in, const Real& d, llvm::Value* size) {
                       llvm::Value* quotient =
                           in.CreateFDiv(in.CreateFAdd(d.C(1), size), in.CreateFSub(d.C(1), size));
                       llvm::Value* value = in.CreateFMul(LogDouble(in, d, quotient), d.C(0.5));
                       return in.CreateSelect(in.CreateFCmpOGT(size, d.C(1)), d.Nan(), value);
                     });
}

}  // namespace halo
