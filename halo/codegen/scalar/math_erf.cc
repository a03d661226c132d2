// The error function: an odd polynomial for small arguments and 1 - e^p(|x|) for the others, where
// p approximates the logarithm of the complement. From 4 on the result is 1.
#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/scalar/math_ir.h"

namespace halo {
namespace {

llvm::Value* ErfBody(IrBuilder& b, const Real& f, llvm::Value* x) {
  llvm::Value* s = f.Polynomial(b.CreateFMul(x, x),
                                {0x1.06eba8p-3, -0x1.812744p-2, 0x1.ce2e1cp-4, -0x1.b80ff2p-6,
                                 0x1.54d42ap-8, -0x1.aaa2d8p-11, 0x1.5e0632p-14});
  llvm::Value* small = f.Fma(x, s, x);
  llvm::Value* size = f.AtMost(4, f.Abs(x));
  llvm::Value* p =
      f.Polynomial(size, {0x1.6e5658p-13, -0x1.2127e4p+0, -0x1.44460cp-1, -0x1.bb83e4p-4,
                          0x1.9b8e78p-6, -0x1.115ac2p-8, 0x1.c790f0p-12, -0x1.61ea36p-16});
  llvm::Value* large = f.WithSignOf(x, b.CreateFSub(f.C(1), EmitExp(b, p)));
  return b.CreateSelect(b.CreateFCmpOLT(size, f.C(0.921875)), small, large);
}

}  // namespace

llvm::Value* EmitErf(IrBuilder& b, llvm::Value* x) {
  return CallInline(b, "halo.erf", x->getType(), {x}, [](IrBuilder& in, IrValues arguments) {
    return ErfBody(in, Real(in, arguments[0]), arguments[0]);
  });
}

}  // namespace halo
