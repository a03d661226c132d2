// Complex ops. Sums, magnitudes and products are emitted inline, and so are quotients of floats, in
// double; everything else calls halo/eval's function on doubles.
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

// Both parts are scaled by the power of two below the larger one, so that squares neither overflow
// nor vanish; within 1 ulp of the evaluator. Powers are limited to those whose inverse is a normal
// number.
llvm::Value* Magnitude(IrBuilder& b, Parts x) {
  llvm::Type* type = x.real->getType();
  const bool is_double = type->isDoubleTy();
  llvm::Type* integer = is_double ? b.getInt64Ty() : b.getInt32Ty();
  const unsigned fraction_bits = is_double ? 52 : 23;
  const uint64_t most_field = is_double ? 2045 : 253;
  const auto field = [&](uint64_t value) {
    return llvm::ConstantInt::get(integer, value << fraction_bits);
  };
  llvm::Value* larger =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::maxnum, Fabs(b, x.real), Fabs(b, x.imag));
  llvm::Value* exponent = b.CreateAnd(b.CreateBitCast(larger, integer), field(most_field + 2));
  exponent = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, exponent, field(1));
  exponent = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, exponent, field(most_field));
  llvm::Value* down = b.CreateBitCast(b.CreateSub(field(most_field + 1), exponent), type);
  llvm::Value* real = b.CreateFMul(x.real, down);
  llvm::Value* imag = b.CreateFMul(x.imag, down);
  llvm::Value* square = b.CreateFAdd(b.CreateFMul(real, real), b.CreateFMul(imag, imag));
  llvm::Value* root = b.CreateFMul(b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, square),
                                   b.CreateBitCast(exponent, type));
  llvm::Value* infinite = b.CreateOr(IsInfinite(b, x.real), IsInfinite(b, x.imag));
  return b.CreateSelect(infinite, llvm::ConstantFP::getInfinity(type), root);
}

Parts Call(IrBuilder& b, Opcode opcode, Parts x, Parts y) {
  llvm::Type* result = llvm::StructType::get(b.getDoubleTy(), b.getDoubleTy());
  return PartsOf(
      b, CallLibrary(b, ComplexFunctionName(opcode), result, {x.real, x.imag, y.real, y.imag}));
}

Parts Product(IrBuilder& b, Parts x, Parts y) {
  return {b.CreateFSub(b.CreateFMul(x.real, y.real), b.CreateFMul(x.imag, y.imag)),
          b.CreateFAdd(b.CreateFMul(x.real, y.imag), b.CreateFMul(x.imag, y.real))};
}

// a * by_a + c * by_c within 1.5 ulp also where the products cancel: the excess of the rounded
// second product, which an FMA gives exactly, is subtracted in the end, unless that product
// overflows. The order of signs keeps a sum of -0.
llvm::Value* SumOfProducts(IrBuilder& b, llvm::Value* a, llvm::Value* by_a, llvm::Value* c,
                           llvm::Value* by_c) {
  const auto fma = [&b](llvm::Value* x, llvm::Value* y, llvm::Value* z) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  };
  llvm::Value* rounded = b.CreateFMul(c, by_c);
  llvm::Value* excess = fma(b.CreateFNeg(c), by_c, rounded);
  llvm::Value* sum = fma(a, by_a, rounded);
  llvm::Value* is_finite =
      b.CreateFCmpOLT(Fabs(b, excess), llvm::ConstantFP::getInfinity(excess->getType()));
  return b.CreateSelect(is_finite, b.CreateFSub(sum, excess), sum);
}

// A product of floats in floats: twice as many fit into a vector as doubles.
Parts FloatProduct(IrBuilder& b, Parts x, Parts y) {
  return {SumOfProducts(b, x.real, y.real, b.CreateFNeg(x.imag), y.imag),
          SumOfProducts(b, x.real, y.imag, x.imag, y.real)};
}

// 1 for an infinite part and 0 for a finite one, with the sign of the part.
llvm::Value* Boxed(IrBuilder& b, llvm::Value* x) {
  llvm::Value* one = b.CreateSelect(IsInfinite(b, x), llvm::ConstantFP::get(x->getType(), 1.0),
                                    llvm::ConstantFP::getZero(x->getType()));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, one, x);
}

// Smith's formula with the recovery of annex G of the C standard, as the evaluator divides, for
// floats converted to double, which need no scaling: a division by zero or of an
// infinity is infinite, and one by an infinity is zero, even where the formula gives NaN. Only
// selects, so that loops can be vectorized.
Parts Quotient(IrBuilder& b, Parts x, Parts y) {
  llvm::Type* type = x.real->getType();
  llvm::Constant* infinity = llvm::ConstantFP::getInfinity(type);
  llvm::Constant* zero = llvm::ConstantFP::getZero(type);
  const auto with_conjugate = [&b](Parts v, Parts w) {
    return Product(b, v, {w.real, b.CreateFNeg(w.imag)});
  };
  const auto scaled = [&b](Parts v, llvm::Value* by) {
    return Parts{b.CreateFMul(by, v.real), b.CreateFMul(by, v.imag)};
  };
  const auto boxed = [&b](Parts v) { return Parts{Boxed(b, v.real), Boxed(b, v.imag)}; };
  const auto is_finite = [&b, infinity](Parts v) {
    return b.CreateAnd(b.CreateFCmpOLT(Fabs(b, v.real), infinity),
                       b.CreateFCmpOLT(Fabs(b, v.imag), infinity));
  };
  const auto any_infinite = [&b](Parts v) {
    return b.CreateOr(IsInfinite(b, v.real), IsInfinite(b, v.imag));
  };
  llvm::Value* steep = b.CreateFCmpOLT(Fabs(b, y.real), Fabs(b, y.imag));
  llvm::Value* larger = b.CreateSelect(steep, y.imag, y.real);
  llvm::Value* smaller = b.CreateSelect(steep, y.real, y.imag);
  llvm::Value* ratio = b.CreateFDiv(smaller, larger);
  llvm::Value* below = b.CreateFAdd(b.CreateFMul(smaller, ratio), larger);
  llvm::Value* real = b.CreateFAdd(b.CreateFMul(b.CreateSelect(steep, x.real, x.imag), ratio),
                                   b.CreateSelect(steep, x.imag, x.real));
  llvm::Value* imag = b.CreateSelect(steep, b.CreateFSub(b.CreateFMul(x.imag, ratio), x.real),
                                     b.CreateFSub(x.imag, b.CreateFMul(x.real, ratio)));
  const Parts plain = {b.CreateFDiv(real, below), b.CreateFDiv(imag, below)};
  llvm::Value* both_nan =
      b.CreateAnd(b.CreateFCmpUNO(plain.real, plain.real), b.CreateFCmpUNO(plain.imag, plain.imag));
  llvm::Value* by_zero =
      b.CreateAnd(b.CreateAnd(b.CreateFCmpOEQ(y.real, zero), b.CreateFCmpOEQ(y.imag, zero)),
                  b.CreateOr(b.CreateFCmpORD(x.real, x.real), b.CreateFCmpORD(x.imag, x.imag)));
  llvm::Value* of_infinity = b.CreateAnd(any_infinite(x), is_finite(y));
  llvm::Value* by_infinity = b.CreateAnd(any_infinite(y), is_finite(x));
  const Parts at_zero =
      scaled(x, b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, infinity, y.real));
  const Parts large = scaled(with_conjugate(boxed(x), y), infinity);
  const Parts small = scaled(with_conjugate(x, boxed(y)), zero);
  const auto choose = [&](llvm::Value* zero_part, llvm::Value* at_large, llvm::Value* at_small,
                          llvm::Value* otherwise) {
    llvm::Value* special = b.CreateSelect(
        by_zero, zero_part,
        b.CreateSelect(of_infinity, at_large, b.CreateSelect(by_infinity, at_small, otherwise)));
    return b.CreateSelect(both_nan, special, otherwise);
  };
  return {choose(at_zero.real, large.real, small.real, plain.real),
          choose(at_zero.imag, large.imag, small.imag, plain.imag)};
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
    case Opcode::kDivide:
      if (type->isDoubleTy()) return Join(b, Call(b, op.opcode, x, y));
      return Join(b, Truncated(b, Quotient(b, Doubled(b, x), Doubled(b, y)), type));
    case Opcode::kMultiply:
      return Join(b, type->isDoubleTy() ? Product(b, x, y) : FloatProduct(b, x, y));
    case Opcode::kNegate: return Join(b, {b.CreateFNeg(x.real), b.CreateFNeg(x.imag)});
    case Opcode::kReal: return x.real;
    case Opcode::kSubtract:
      return Join(b, {b.CreateFSub(x.real, y.real), b.CreateFSub(x.imag, y.imag)});
    default: return Join(b, Truncated(b, Call(b, op.opcode, Doubled(b, x), Doubled(b, y)), type));
  }
}

}  // namespace halo
