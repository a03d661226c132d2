// The exponential function and what is made of it. x = n ln 2 + r, and e^r = 1 + r + r^2 q(r) with
// a minimax polynomial q for |r| up to half of ln 2.
#include "halo/codegen/ir_function.h"
#include "halo/codegen/math_ir.h"

namespace halo {
namespace {

constexpr double kLog2E = 0x1.715476p+0;
constexpr double kLn2High = 0x1.62e430p-1;  // a float, and what it lacks
constexpr double kLn2Low = -0x1.05c610p-29;

struct ExpParts {
  llvm::Value* n;     // integer
  llvm::Value* rest;  // e^r - 1
};

// For |x| below about 10^6.
ExpParts SplitExp(IrBuilder& b, const Real& f, llvm::Value* x) {
  const Real::Whole n = f.NearestProduct(x, kLog2E);
  llvm::Value* r = f.Fma(n.value, f.C(-kLn2High), x);
  r = f.Fma(n.value, f.C(-kLn2Low), r);
  llvm::Value* q =
      f.Polynomial(r, {0x1.fffffcp-2, 0x1.55548ap-3, 0x1.555916p-5, 0x1.123fc6p-7, 0x1.6a1a6ep-10});
  return {n.bits, f.Fma(b.CreateFMul(r, r), q, r)};
}

// Beyond the clamps the result is zero or infinite. The power of two is applied in two steps, since
// 2^n may be beyond the normal numbers where the result is not.
llvm::Value* ExpBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  const ExpParts parts = SplitExp(b, f, f.AtLeast(-104, f.AtMost(89, x)));
  llvm::Value* half = b.CreateAShr(parts.n, 1);
  llvm::Value* value = b.CreateFAdd(parts.rest, f.C(1));
  value = b.CreateFMul(value, f.PowerOfTwo(half));
  return b.CreateFMul(value, f.PowerOfTwo(b.CreateSub(parts.n, half)));
}

// 2^n (e^r - 1) + (2^n - 1), at half its size so that 2^n does not overflow before the result does.
llvm::Value* Expm1Body(IrBuilder& b, const Real& f, llvm::Value* x) {
  const ExpParts parts = SplitExp(b, f, f.AtLeast(-30, f.AtMost(89, x)));
  llvm::Value* half = f.PowerOfTwo(b.CreateSub(parts.n, f.I(1)));
  llvm::Value* value = f.Fma(half, parts.rest, b.CreateFSub(half, f.C(0.5)));
  value = b.CreateFAdd(value, value);
  return b.CreateSelect(b.CreateFCmpOLT(f.Abs(x), f.C(0x1p-24)), x, value);
}

// e^-|x| never overflows: 1 / (1 + e^-x) for positive x, and e^x / (1 + e^x) for negative.
llvm::Value* LogisticBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  llvm::Value* small = EmitExp(b, b.CreateFNeg(f.Abs(x)));
  llvm::Value* above = b.CreateSelect(b.CreateFCmpOLT(x, f.C(0)), small, f.C(1));
  return b.CreateFDiv(above, b.CreateFAdd(small, f.C(1)));
}

llvm::Value* TanhBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  llvm::Value* t = EmitExpm1(b, b.CreateFMul(f.Abs(x), f.C(-2)));
  return f.WithSignOf(x, b.CreateFDiv(t, b.CreateFAdd(t, f.C(2))));
}

template <auto Body>
llvm::Value* Defined(IrBuilder& b, const char* name, llvm::Value* x) {
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

}  // namespace halo
