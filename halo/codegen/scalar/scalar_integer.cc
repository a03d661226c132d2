// Integer ops. Division never traps. Up to 32 bits it goes through floats wide enough to be exact,
// which the vectorizer can widen.
#include <algorithm>

#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/ir/runtime_functions.h"
#include "halo/codegen/scalar/scalar_parts.h"

namespace halo {
namespace {

struct Integer {
  IrBuilder& b;
  bool is_signed;
  int bits;
  llvm::Type* type;

  [[nodiscard]] llvm::Constant* Constant(int64_t value) const {
    return llvm::ConstantInt::getSigned(type, value);
  }
  [[nodiscard]] unsigned width() const { return type->getIntegerBitWidth(); }
  // Only the significant bits.
  [[nodiscard]] llvm::Value* Low(llvm::Value* value) const {
    if (static_cast<unsigned>(bits) == width()) return value;
    return b.CreateAnd(value, Constant((int64_t{1} << bits) - 1));
  }
  [[nodiscard]] llvm::Value* Extended(llvm::Value* value, unsigned to) const {
    llvm::Type* wide = b.getIntNTy(to);
    return is_signed ? b.CreateSExt(value, wide) : b.CreateZExt(value, wide);
  }

  // The operands must not make the division trap; callers replace the divisor.
  [[nodiscard]] llvm::Value* RawQuotient(llvm::Value* x, llvm::Value* y) const {
    // A constant divisor becomes a multiplication; 64-bit values do not fit in any float.
    if (llvm::isa<llvm::Constant>(y) || width() > 32) {
      return is_signed ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
    }
    // With fewer integer bits than mantissa bits, rounding never moves the quotient across an
    // integer.
    llvm::Type* real = width() <= 16 ? b.getFloatTy() : b.getDoubleTy();
    if (is_signed) {
      return b.CreateFPToSI(b.CreateFDiv(b.CreateSIToFP(x, real), b.CreateSIToFP(y, real)), type);
    }
    return b.CreateFPToUI(b.CreateFDiv(b.CreateUIToFP(x, real), b.CreateUIToFP(y, real)), type);
  }

  // Division by zero gives all ones. The lowest value divided by -1 wraps.
  [[nodiscard]] llvm::Value* Divide(llvm::Value* x, llvm::Value* y) const {
    llvm::Value* by_zero = b.CreateIsNull(y);
    llvm::Value* safe = b.CreateSelect(by_zero, Constant(1), y);
    if (!is_signed) return b.CreateSelect(by_zero, Constant(-1), RawQuotient(x, safe));
    llvm::Value* by_minus_one = b.CreateICmpEQ(y, Constant(-1));
    safe = b.CreateSelect(by_minus_one, Constant(1), safe);
    llvm::Value* quotient = b.CreateSelect(by_minus_one, b.CreateNeg(x), RawQuotient(x, safe));
    return b.CreateSelect(by_zero, Constant(-1), quotient);
  }

  [[nodiscard]] llvm::Value* Remainder(llvm::Value* x, llvm::Value* y) const {
    llvm::Value* by_zero = b.CreateIsNull(y);
    llvm::Value* safe = b.CreateSelect(by_zero, Constant(1), y);
    if (is_signed) safe = b.CreateSelect(b.CreateICmpEQ(y, Constant(-1)), Constant(1), safe);
    llvm::Value* rest = b.CreateSub(x, b.CreateMul(RawQuotient(x, safe), safe));
    return b.CreateSelect(by_zero, x, rest);
  }

  [[nodiscard]] llvm::Value* Power(llvm::Value* x, llvm::Value* y) const {
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(y)) {
      const llvm::APInt& exponent = known->getValue();
      if (exponent.isStrictlyPositive() && exponent.ult(65)) {
        return ConstantPower(x, exponent.getZExtValue());
      }
    }
    return b.CreateTrunc(CallLibrary(b, is_signed ? kPowerSigned : kPowerUnsigned, b.getInt64Ty(),
                                     {Extended(x, 64), Extended(y, 64)}),
                         type);
  }

  [[nodiscard]] llvm::Value* ConstantPower(llvm::Value* x, uint64_t exponent) const {
    llvm::Value* result = nullptr;
    for (;; exponent >>= 1) {
      if ((exponent & 1) != 0) result = result == nullptr ? x : b.CreateMul(result, x);
      if (exponent <= 1) return result;
      x = b.CreateMul(x, x);
    }
  }

  // A shift by the width or more, or by a negative amount, leaves only the sign.
  [[nodiscard]] llvm::Value* Shift(Opcode opcode, llvm::Value* x, llvm::Value* by) const {
    llvm::Value* too_far = b.CreateICmpUGE(by, Constant(bits));
    if (opcode == Opcode::kShiftLeft) {
      return b.CreateSelect(too_far, Constant(0), b.CreateShl(x, by));
    }
    if (opcode == Opcode::kShiftRightLogical) {
      return b.CreateSelect(too_far, Constant(0), b.CreateLShr(Low(x), by));
    }
    const unsigned above = width() - static_cast<unsigned>(bits);
    llvm::Value* value = b.CreateAShr(b.CreateShl(x, above), above);
    return b.CreateAShr(value, b.CreateSelect(too_far, Constant(width() - 1), by));
  }

  [[nodiscard]] llvm::Value* Mulhi(llvm::Value* x, llvm::Value* y) const {
    const unsigned twice = width() * 2;
    llvm::Value* product = b.CreateMul(Extended(x, twice), Extended(y, twice));
    return b.CreateTrunc(b.CreateLShr(product, static_cast<uint64_t>(bits)), type);
  }

  [[nodiscard]] llvm::Value* Sign(llvm::Value* x) const {
    llvm::Value* positive = b.CreateZExt(b.CreateIsNotNull(x), type);
    if (!is_signed) return positive;
    return b.CreateOr(b.CreateAShr(x, width() - 1), positive);
  }

  [[nodiscard]] llvm::Value* LeadingZeros(llvm::Value* x) const {
    llvm::Value* all = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, Low(x), b.getFalse());
    return b.CreateSub(all, Constant(static_cast<int64_t>(width()) - bits));
  }
};

}  // namespace

llvm::Value* EmitIntegerOp(IrBuilder& b, Opcode opcode, bool is_signed, int bits, IrValues in) {
  llvm::Value* x = in[0];
  llvm::Value* y = in.size() > 1 ? in[1] : nullptr;
  const Integer ops{b, is_signed, bits, x->getType()};
  switch (opcode) {
    case Opcode::kAbs:
      return is_signed ? b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b.getFalse()) : x;
    case Opcode::kAdd: return b.CreateAdd(x, y);
    case Opcode::kAnd: return b.CreateAnd(x, y);
    case Opcode::kClz: return ops.LeadingZeros(x);
    case Opcode::kDivide: return ops.Divide(x, y);
    case Opcode::kMaximum: return EmitLarger(b, x, y, is_signed);
    case Opcode::kMinimum: return EmitSmaller(b, x, y, is_signed);
    case Opcode::kMulhi: return ops.Mulhi(x, y);
    case Opcode::kMultiply: return b.CreateMul(x, y);
    case Opcode::kNegate: return b.CreateNeg(x);
    case Opcode::kNot: return b.CreateXor(x, ops.Low(ops.Constant(-1)));
    case Opcode::kOr: return b.CreateOr(x, y);
    case Opcode::kPopulationCount:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, ops.Low(x));
    case Opcode::kPower: return ops.Power(x, y);
    case Opcode::kReal: return x;
    case Opcode::kRemainder: return ops.Remainder(x, y);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: return ops.Shift(opcode, x, y);
    case Opcode::kSign: return ops.Sign(x);
    case Opcode::kSubtract: return b.CreateSub(x, y);
    case Opcode::kXor: return b.CreateXor(x, y);
    default: return nullptr;
  }
}

}  // namespace halo
