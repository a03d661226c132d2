// Building blocks for writing real functions as LLVM instructions: no branches and no tables, so
// that the vectorizer can widen them. NaN propagates unless a function says otherwise.
#ifndef HALO_CODEGEN_SCALAR_MATH_IR_H_
#define HALO_CODEGEN_SCALAR_MATH_IR_H_

#include <initializer_list>
#include <llvm/IR/IRBuilder.h>

#include "halo/codegen/scalar/scalar_parts.h"

namespace halo {

// ln 2 as the sum of a float and its error, of a double and its error, and of a double with so few
// bits that its multiples by exponents are exact, and the rest.
inline constexpr double kLn2High = 0x1.62e430p-1;
inline constexpr double kLn2Low = -0x1.05c610p-29;
inline constexpr double kLn2Double = 0x1.62e42fefa39efp-1;
inline constexpr double kLn2DoubleError = 0x1.abc9e3b39803fp-56;
inline constexpr double kLn2Short = 0x1.62e42feep-1;
inline constexpr double kLn2ShortError = 0x1.a39ef35793c76p-33;

// Values of one width: float, or double where the precision of a float does not suffice.
class Real {
 public:
  Real(IrBuilder& b, llvm::Type* type) : b_(b), type_(type) {}
  Real(IrBuilder& b, llvm::Value* like) : Real(b, like->getType()) {}

  [[nodiscard]] llvm::Type* type() const { return type_; }
  [[nodiscard]] bool is_double() const { return type_->isDoubleTy(); }
  [[nodiscard]] llvm::IntegerType* bits_type() const { return b_.getIntNTy(is_double() ? 64 : 32); }
  [[nodiscard]] int mantissa_bits() const { return is_double() ? 52 : 23; }
  [[nodiscard]] int bias() const { return is_double() ? 1023 : 127; }

  [[nodiscard]] llvm::Constant* C(double value) const {
    return llvm::ConstantFP::get(type_, value);
  }
  [[nodiscard]] llvm::Constant* Nan() const { return llvm::ConstantFP::getNaN(type_); }
  [[nodiscard]] llvm::Constant* Infinity() const { return llvm::ConstantFP::getInfinity(type_); }
  [[nodiscard]] llvm::Constant* I(int64_t value) const {
    return llvm::ConstantInt::getSigned(bits_type(), value);
  }
  [[nodiscard]] llvm::Value* Bits(llvm::Value* x) const { return b_.CreateBitCast(x, bits_type()); }
  [[nodiscard]] llvm::Value* FromBits(llvm::Value* bits) const {
    return b_.CreateBitCast(bits, type_);
  }

  [[nodiscard]] llvm::Value* Fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) const {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {x, y, z});
  }
  [[nodiscard]] llvm::Value* Abs(llvm::Value* x) const {
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  }
  [[nodiscard]] llvm::Value* Sqrt(llvm::Value* x) const {
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
  }
  [[nodiscard]] llvm::Value* WithSignOf(llvm::Value* sign, llvm::Value* x) const {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, sign);
  }
  [[nodiscard]] llvm::Value* AtMost(double limit, llvm::Value* x) const {
    return b_.CreateSelect(b_.CreateFCmpOGT(x, C(limit)), C(limit), x);
  }
  [[nodiscard]] llvm::Value* AtLeast(double limit, llvm::Value* x) const {
    return b_.CreateSelect(b_.CreateFCmpOLT(x, C(limit)), C(limit), x);
  }
  // Coefficients of increasing degree.
  [[nodiscard]] llvm::Value* Polynomial(llvm::Value* x, std::initializer_list<double> terms) const {
    const double* term = terms.end();
    llvm::Value* sum = C(*--term);
    while (term != terms.begin()) sum = Fma(sum, x, C(*--term));
    return sum;
  }

  // The same with two shorter chains of dependent steps: the even and the odd powers.
  [[nodiscard]] llvm::Value* SplitPolynomial(llvm::Value* x,
                                             std::initializer_list<double> terms) const {
    llvm::Value* square = b_.CreateFMul(x, x);
    llvm::Value* sums[2] = {nullptr, nullptr};
    for (size_t i = terms.size(); i-- > 0;) {
      llvm::Value*& sum = sums[i % 2];
      llvm::Constant* term = C(terms.begin()[i]);
      sum = sum == nullptr ? term : Fma(sum, square, term);
    }
    return Fma(sums[1], x, sums[0]);
  }

  // The nearest integer, for values far below the mantissa's range, both as a float and as bits
  // whose low part is the two's complement integer.
  struct Whole {
    llvm::Value* value;
    llvm::Value* bits;
  };
  [[nodiscard]] Whole Nearest(llvm::Value* x) const {
    return Unshifted(b_.CreateFAdd(x, Shifter()));
  }
  // The same for x * y, rounded once.
  [[nodiscard]] Whole NearestProduct(llvm::Value* x, double y) const {
    return Unshifted(Fma(x, C(y), Shifter()));
  }
  // An integer of few bits as a float; vectors of doubles have no instruction for it before
  // AVX-512.
  [[nodiscard]] llvm::Value* FromExponent(llvm::Value* n) const {
    if (!is_double()) return b_.CreateSIToFP(n, type_);
    return b_.CreateFSub(FromBits(b_.CreateAdd(n, Bits(Shifter()))), Shifter());
  }
  // 2^n for n in the exponent range of normal numbers.
  [[nodiscard]] llvm::Value* PowerOfTwo(llvm::Value* n) const {
    return FromBits(b_.CreateShl(b_.CreateAdd(n, I(bias())), mantissa_bits()));
  }

  // x = 2^exponent * (1 + fraction), with 1 + fraction between sqrt(1/2) and sqrt(2). Positive
  // normal numbers only.
  struct Split {
    llvm::Value* exponent;  // an integer
    llvm::Value* scaled;    // 1 + fraction
  };
  [[nodiscard]] Split SplitExponent(llvm::Value* x) const {
    const int64_t root_half = is_double() ? 0x3FE6A09E667F3BCD : 0x3F3504F3;
    llvm::Value* bits = Bits(x);
    llvm::Value* exponent = b_.CreateAShr(b_.CreateSub(bits, I(root_half)), mantissa_bits());
    return {exponent, FromBits(b_.CreateSub(bits, b_.CreateShl(exponent, mantissa_bits())))};
  }

 private:
  // Adding this rounds away the fraction.
  [[nodiscard]] llvm::Constant* Shifter() const { return C(is_double() ? 0x1.8p52 : 0x1.8p23); }
  [[nodiscard]] Whole Unshifted(llvm::Value* shifted) const {
    return {b_.CreateFSub(shifted, Shifter()), b_.CreateSub(Bits(shifted), Bits(Shifter()))};
  }
  IrBuilder& b_;
  llvm::Type* type_;
};

// Functions, each emitted as a function of the LLVM module that uses it. Compared with the
// correctly rounded result, logistic, tanh, sine and cosine of floats differ by at most 2 ulp and
// all others by at most 1 ulp, as measured on floats of every exponent: see scalar_ir_test.cc.
// Those up to log1p also take doubles, the next two take only these; docs/math.md has their
// errors.
llvm::Value* EmitExp(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitExpm1(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitLogistic(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitTanh(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitLog(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitLog1p(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitAcoshOfDouble(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitCoshOfDouble(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitErf(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitSin(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitCos(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitTan(IrBuilder& b, llvm::Value* x);
// Computed in double.
llvm::Value* EmitPower(IrBuilder& b, llvm::Value* x, llvm::Value* y);
llvm::Value* EmitCbrt(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitAtan2(IrBuilder& b, llvm::Value* y, llvm::Value* x);
llvm::Value* EmitAsin(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitAcos(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitSinh(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitCosh(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitAsinh(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitAcosh(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitAtanh(IrBuilder& b, llvm::Value* x);

// On doubles, accurate to about 40 bits, which is enough to round to a float. Log2 takes positive
// numbers, zero and infinity; Exp2 limits its result to 2^-300 ... 2^300.
llvm::Value* EmitLog2Double(IrBuilder& b, llvm::Value* x);
llvm::Value* EmitExp2Double(IrBuilder& b, llvm::Value* x);

}  // namespace halo

#endif  // HALO_CODEGEN_SCALAR_MATH_IR_H_
