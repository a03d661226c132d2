// Complex ops. Sums and products are emitted inline, products in double; everything else calls
// halo/eval's function on doubles.
#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/ir/runtime_functions.h"
#include "halo/codegen/scalar/scalar_parts.h"

namespace halo {
namespace {

struct Parts {
  llvm::Value* real;
  llvm::Value* imag;
};

Parts PartsOf(IrBuilder& b, llvm::Value* value) {
  return {b.CreateExtractValue(value, 0), b.CreateExtractValue(value, 1)};
}
llvm::Value* Join(IrBuilder& b, Parts parts) {
  llvm::Type* type = llvm::StructType::get(parts.real->getType(), parts.imag->getType());
  llvm::Value* value = llvm::PoisonValue::get(type);
  return b.CreateInsertValue(b.CreateInsertValue(value, parts.real, 0), parts.imag, 1);
}
llvm::Value* Doubled(IrBuilder& b, llvm::Value* x) {
  return x->getType()->isDoubleTy() ? x : b.CreateFPExt(x, b.getDoubleTy());
}
Parts Doubled(IrBuilder& b, Parts parts) {
  return {Doubled(b, parts.real), Doubled(b, parts.imag)};
}
Parts Truncated(IrBuilder& b, Parts parts, llvm::Type* type) {
  if (type->isDoubleTy()) return parts;
  return {b.CreateFPTrunc(parts.real, type), b.CreateFPTrunc(parts.imag, type)};
}

llvm::Value* Fabs(IrBuilder& b, llvm::Value* x) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}
llvm::Value* IsInfinite(IrBuilder& b, llvm::Value* x) {
  return b.CreateFCmpOEQ(Fabs(b, x), llvm::ConstantFP::getInfinity(x->getType()));
}

// In double, squares of f32 neither overflow nor underflow.
llvm::Value* Magnitude(IrBuilder& b, Parts x) {
  llvm::Type* type = x.real->getType();
  if (type->isDoubleTy()) return CallLibrary(b, "hypot", type, {x.real, x.imag});
  const Parts wide = Doubled(b, x);
  llvm::Value* square =
      b.CreateFAdd(b.CreateFMul(wide.real, wide.real), b.CreateFMul(wide.imag, wide.imag));
  llvm::Value* root = b.CreateFPTrunc(b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, square), type);
  llvm::Value* infinite = b.CreateOr(IsInfinite(b, x.real), IsInfinite(b, x.imag));
  return b.CreateSelect(infinite, llvm::ConstantFP::getInfinity(type), root);
}

Parts Call(IrBuilder& b, Opcode opcode, Parts x, Parts y) {
  llvm::Type* result = llvm::StructType::get(b.getDoubleTy(), b.getDoubleTy());
  return PartsOf(
      b, CallLibrary(b, ComplexFunctionName(opcode), result, {x.real, x.imag, y.real, y.imag}));
}

// 1 for an infinite part and 0 for a finite one, with the sign of the part.
llvm::Value* Boxed(IrBuilder& b, llvm::Value* x) {
  llvm::Value* one = b.CreateSelect(IsInfinite(b, x), llvm::ConstantFP::get(x->getType(), 1.0),
                                    llvm::ConstantFP::getZero(x->getType()));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, one, x);
}
llvm::Value* ZeroIfNan(IrBuilder& b, llvm::Value* x) {
  llvm::Value* zero = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                              llvm::ConstantFP::getZero(x->getType()), x);
  return b.CreateSelect(b.CreateFCmpUNO(x, x), zero, x);
}

Parts Product(IrBuilder& b, Parts x, Parts y) {
  return {b.CreateFSub(b.CreateFMul(x.real, y.real), b.CreateFMul(x.imag, y.imag)),
          b.CreateFAdd(b.CreateFMul(x.real, y.imag), b.CreateFMul(x.imag, y.real))};
}

// As in annex G of the C standard: a product with an infinity is infinite, even where the formula
// gives NaN. The parts are floats converted to double, so that no product overflows.
Parts Multiply(IrBuilder& b, Parts x, Parts y) {
  const Parts plain = Product(b, x, y);
  const auto any_infinite = [&b](Parts v) {
    return b.CreateOr(IsInfinite(b, v.real), IsInfinite(b, v.imag));
  };
  const auto prepared = [&b](Parts v, llvm::Value* own, llvm::Value* other) {
    const auto part = [&](llvm::Value* p) {
      llvm::Value* boxed = b.CreateSelect(own, Boxed(b, p), p);
      return b.CreateSelect(other, ZeroIfNan(b, boxed), boxed);
    };
    return Parts{part(v.real), part(v.imag)};
  };
  llvm::Value* x_infinite = any_infinite(x);
  llvm::Value* y_infinite = any_infinite(y);
  const Parts signs =
      Product(b, prepared(x, x_infinite, y_infinite), prepared(y, y_infinite, x_infinite));
  llvm::Value* infinity = llvm::ConstantFP::getInfinity(x.real->getType());
  llvm::Value* both_nan =
      b.CreateAnd(b.CreateFCmpUNO(plain.real, plain.real), b.CreateFCmpUNO(plain.imag, plain.imag));
  llvm::Value* recover = b.CreateAnd(both_nan, b.CreateOr(x_infinite, y_infinite));
  return {b.CreateSelect(recover, b.CreateFMul(infinity, signs.real), plain.real),
          b.CreateSelect(recover, b.CreateFMul(infinity, signs.imag), plain.imag)};
}

llvm::Value* Equal(IrBuilder& b, Parts x, Parts y) {
  return b.CreateAnd(b.CreateFCmpOEQ(x.real, y.real), b.CreateFCmpOEQ(x.imag, y.imag));
}

}  // namespace

llvm::Value* EmitComplexOp(IrBuilder& b, const LaneOp& op, IrValues in) {
  const Parts x = PartsOf(b, in[0]);
  const Parts y = PartsOf(b, in[in.size() > 1 ? 1 : 0]);
  llvm::Type* type = x.real->getType();
  switch (op.opcode) {
    case Opcode::kAbs: return Magnitude(b, x);
    case Opcode::kAdd: return Join(b, {b.CreateFAdd(x.real, y.real), b.CreateFAdd(x.imag, y.imag)});
    case Opcode::kCompare:
      return op.comparison == Comparison::kNe ? b.CreateNot(Equal(b, x, y)) : Equal(b, x, y);
    case Opcode::kImag: return x.imag;
    case Opcode::kMultiply:
      if (type->isDoubleTy()) return Join(b, Call(b, op.opcode, x, y));
      return Join(b, Truncated(b, Multiply(b, Doubled(b, x), Doubled(b, y)), type));
    case Opcode::kNegate: return Join(b, {b.CreateFNeg(x.real), b.CreateFNeg(x.imag)});
    case Opcode::kReal: return x.real;
    case Opcode::kSubtract:
      return Join(b, {b.CreateFSub(x.real, y.real), b.CreateFSub(x.imag, y.imag)});
    default: return Join(b, Truncated(b, Call(b, op.opcode, Doubled(b, x), Doubled(b, y)), type));
  }
}

}  // namespace halo
