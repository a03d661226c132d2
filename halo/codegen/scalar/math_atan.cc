// Inverse trigonometric functions of floats, all computed in double from the arc tangent of a
// quotient between 0 and 1.
#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/scalar/math_ir.h"

namespace halo {
namespace {

constexpr double kPi = 0x1.921fb54442d18p+1;

// The angle of the point (x, y), as in C's atan2; the signs of zeros and infinities matter.
llvm::Value* AngleBody(IrBuilder& b, const Real& d, llvm::Value* y, llvm::Value* x) {
  llvm::Value* height = d.Abs(y);
  llvm::Value* width = d.Abs(x);
  llvm::Value* is_steep = b.CreateFCmpOGT(height, width);
  llvm::Value* most = b.CreateSelect(is_steep, height, width);
  llvm::Value* least = b.CreateSelect(is_steep, width, height);
  llvm::Value* quotient = b.CreateFDiv(least, most);
  quotient = b.CreateSelect(b.CreateFCmpOEQ(least, most), d.C(1), quotient);
  quotient = b.CreateSelect(b.CreateFCmpOEQ(most, d.C(0)), d.C(0), quotient);
  llvm::Value* p = d.Polynomial(
      b.CreateFMul(quotient, quotient),
      {0x1.fffffffd2432bp-1, -0x1.55554f8d53cf9p-2, 0x1.9997a9cab03a0p-3, -0x1.2471ab1e72f7dp-3,
       0x1.c4e1a295539ffp-4, -0x1.68bb17cf9a23ep-4, 0x1.13d9b56a33450p-4, -0x1.6d83bd84f318ap-5,
       0x1.70954c71eeee6p-6, -0x1.deae18d7aa909p-8, 0x1.23860c0cf4d28p-10});
  llvm::Value* angle = b.CreateFMul(quotient, p);
  angle = b.CreateSelect(is_steep, b.CreateFSub(d.C(kPi / 2), angle), angle);
  llvm::Value* is_left = b.CreateICmpSLT(d.Bits(x), d.I(0));
  angle = b.CreateSelect(is_left, b.CreateFSub(d.C(kPi), angle), angle);
  angle = d.WithSignOf(y, angle);
  return b.CreateSelect(b.CreateFCmpUNO(x, y), d.Nan(), angle);
}

llvm::Value* EmitAngle(IrBuilder& b, llvm::Value* y, llvm::Value* x) {
  return CallInline(b, "halo.angle_f64", y->getType(), {y, x},
                    [](IrBuilder& in, IrValues arguments) {
                      return AngleBody(in, Real(in, arguments[0]), arguments[0], arguments[1]);
                    });
}

// sqrt(1 - x^2); NaN if |x| > 1.
llvm::Value* Complement(IrBuilder& b, const Real& d, llvm::Value* x) {
  return d.Sqrt(b.CreateFMul(b.CreateFSub(d.C(1), x), b.CreateFAdd(d.C(1), x)));
}

}  // namespace

llvm::Value* EmitAtan2(IrBuilder& b, llvm::Value* y, llvm::Value* x) {
  llvm::Type* wide = b.getDoubleTy();
  return b.CreateFPTrunc(EmitAngle(b, b.CreateFPExt(y, wide), b.CreateFPExt(x, wide)),
                         x->getType());
}

llvm::Value* EmitAsin(IrBuilder& b, llvm::Value* x) {
  const Real d(b, b.getDoubleTy());
  llvm::Value* wide = b.CreateFPExt(x, d.type());
  return b.CreateFPTrunc(EmitAngle(b, wide, Complement(b, d, wide)), x->getType());
}

llvm::Value* EmitAcos(IrBuilder& b, llvm::Value* x) {
  const Real d(b, b.getDoubleTy());
  llvm::Value* wide = b.CreateFPExt(x, d.type());
  return b.CreateFPTrunc(EmitAngle(b, Complement(b, d, wide), wide), x->getType());
}

}  // namespace halo
