// Real arithmetic: ops that are exact or rounded once. Types narrower than f32 are computed in f32
// and rounded again, which gives the same result for each of these ops. Kernels over rows may
// multiply by a reciprocal instead of dividing (forms/lower_row.cc).
#include <cmath>

#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/scalar/scalar_parts.h"
#include "halo/eval/lanes/lane_kernels.h"

namespace halo {
namespace {

llvm::Value* Unary(IrBuilder& b, llvm::Intrinsic::ID id, llvm::Value* x) {
  return b.CreateUnaryIntrinsic(id, x);
}

llvm::Value* Sign(IrBuilder& b, llvm::Value* x) {
  llvm::Value* one = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                             llvm::ConstantFP::get(x->getType(), 1.0), x);
  // The sign of zero is zero and the sign of NaN is NaN.
  llvm::Value* is_number = b.CreateFCmpONE(x, llvm::ConstantFP::getZero(x->getType()));
  return b.CreateSelect(is_number, one, x);
}

llvm::Value* IsFinite(IrBuilder& b, llvm::Value* x) {
  return b.CreateFCmpOLT(Unary(b, llvm::Intrinsic::fabs, x),
                         llvm::ConstantFP::getInfinity(x->getType()));
}

// The random bits are a fraction of one: round away from zero with the probability of the discarded
// fraction.
llvm::Value* StochasticWhole(IrBuilder& b, const LaneOp& op, llvm::Value* x, llvm::Value* random) {
  llvm::Type* real = b.getDoubleTy();
  llvm::Value* wide = b.CreateFPExt(x, real);
  llvm::Value* whole = Unary(b, llvm::Intrinsic::trunc, wide);
  llvm::Value* rest = Unary(b, llvm::Intrinsic::fabs, b.CreateFSub(wide, whole));
  llvm::Value* fraction =
      b.CreateFMul(b.CreateUIToFP(random, real),
                   llvm::ConstantFP::get(real, std::ldexp(1.0, -InfoOf(op.type).bits)));
  llvm::Value* one =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::ConstantFP::get(real, 1.0), wide);
  return b.CreateSelect(b.CreateFCmpOLT(fraction, rest), b.CreateFAdd(whole, one), whole);
}

struct Layout {
  int exponent_bits, mantissa_bits;
};

// Works on the bits of a format: rounds the mantissa to nearest even, then replaces values outside
// the range by zero or infinity.
llvm::Value* ReduceBits(IrBuilder& b, const LaneOp& op, Layout own, llvm::Value* bits) {
  llvm::Type* type = bits->getType();
  const auto constant = [type](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  const auto exponent_field = [&](int exponent) {
    const int bias = (1 << (own.exponent_bits - 1)) - 1;
    return constant(static_cast<uint64_t>(exponent + bias) << own.mantissa_bits);
  };
  const uint64_t sign_bit = uint64_t{1} << (own.exponent_bits + own.mantissa_bits);
  const uint64_t infinity = ((uint64_t{1} << own.exponent_bits) - 1) << own.mantissa_bits;
  llvm::Value* sign = b.CreateAnd(bits, constant(sign_bit));
  llvm::Value* magnitude = b.CreateAnd(bits, constant(sign_bit - 1));
  llvm::Value* rounded = magnitude;
  const int drop = own.mantissa_bits - op.mantissa_bits;
  if (drop > 0) {
    // With no mantissa bits left, this is the lowest bit of the exponent field, which decides ties
    // in XLA too.
    llvm::Value* odd =
        b.CreateAnd(b.CreateLShr(magnitude, static_cast<uint64_t>(drop)), constant(1));
    rounded = b.CreateAdd(b.CreateAdd(magnitude, constant((uint64_t{1} << (drop - 1)) - 1)), odd);
    rounded = b.CreateAnd(rounded, constant(~((uint64_t{1} << drop) - 1)));
  }
  if (op.exponent_bits < own.exponent_bits) {
    const int bias = (1 << (op.exponent_bits - 1)) - 1;
    rounded =
        b.CreateSelect(b.CreateICmpULT(rounded, exponent_field(1 - bias)), constant(0), rounded);
    rounded = b.CreateSelect(b.CreateICmpUGE(rounded, exponent_field(bias + 1)), constant(infinity),
                             rounded);
  }
  llvm::Value* special = b.CreateICmpUGE(magnitude, constant(infinity));
  return b.CreateOr(b.CreateSelect(special, magnitude, rounded), sign);
}

llvm::Value* ReducePrecision(IrBuilder& b, const LaneOp& op, llvm::Value* x) {
  const bool wide = x->getType()->isDoubleTy();
  if (!wide && ReducedExponentBits(op.type) == 5) {
    llvm::Value* bits = b.CreateBitCast(b.CreateFPTrunc(x, b.getHalfTy()), b.getInt16Ty());
    return b.CreateFPExt(b.CreateBitCast(ReduceBits(b, op, {5, 10}, bits), b.getHalfTy()),
                         x->getType());
  }
  llvm::Value* bits = b.CreateBitCast(x, wide ? b.getInt64Ty() : b.getInt32Ty());
  const Layout own = wide ? Layout{11, 52} : Layout{8, 23};
  return b.CreateBitCast(ReduceBits(b, op, own, bits), x->getType());
}

llvm::Value* Remainder(IrBuilder& b, llvm::Value* x, llvm::Value* y) {
  return CallLibrary(b, x->getType()->isDoubleTy() ? "fmod" : "fmodf", x->getType(), {x, y});
}

}  // namespace

llvm::Value* EmitFloatOp(IrBuilder& b, const LaneOp& op, IrValues in) {
  llvm::Value* x = in[0];
  llvm::Value* y = in.size() > 1 ? in[1] : nullptr;
  switch (op.opcode) {
    case Opcode::kAbs: return Unary(b, llvm::Intrinsic::fabs, x);
    case Opcode::kAdd: return b.CreateFAdd(x, y);
    case Opcode::kCeil: return Unary(b, llvm::Intrinsic::ceil, x);
    case Opcode::kDivide: return b.CreateFDiv(x, y);
    case Opcode::kFloor: return Unary(b, llvm::Intrinsic::floor, x);
    case Opcode::kImag: return llvm::ConstantFP::getZero(x->getType());
    case Opcode::kIsFinite: return IsFinite(b, x);
    case Opcode::kMaximum: return EmitLarger(b, x, y, true);
    case Opcode::kMinimum: return EmitSmaller(b, x, y, true);
    case Opcode::kMultiply: return b.CreateFMul(x, y);
    case Opcode::kNegate: return b.CreateFNeg(x);
    case Opcode::kReal: return x;
    case Opcode::kReducePrecision: return ReducePrecision(b, op, x);
    case Opcode::kRemainder: return Remainder(b, x, y);
    case Opcode::kRoundNearestAfz: return Unary(b, llvm::Intrinsic::round, x);
    case Opcode::kRoundNearestEven: return Unary(b, llvm::Intrinsic::roundeven, x);
    case Opcode::kSign: return Sign(b, x);
    case Opcode::kSqrt: return Unary(b, llvm::Intrinsic::sqrt, x);
    case Opcode::kStochasticConvert: return StochasticWhole(b, op, x, y);
    case Opcode::kSubtract: return b.CreateFSub(x, y);
    default: return EmitMathOp(b, op.opcode, in);
  }
}

}  // namespace halo
