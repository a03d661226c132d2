// Conversions between element types: widens stored values and rounds computed ones. Types narrower
// than f32 use small helper functions, so that a value that is rounded and then stored is converted
// only once.
#include <algorithm>
#include <bit>
#include <cmath>
#include <llvm/IR/Module.h>
#include <string>

#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/scalar/scalar_ir.h"
#include "halo/codegen/scalar/scalar_parts.h"
#include "halo/ir/types/float_format.h"
#include "halo/ir/types/numeric.h"

namespace halo {
namespace {

bool IsSmallFloat(ElementType type) {
  return InfoOf(type).klass == ElementClass::kFloat && InfoOf(type).bits < 32;
}
bool IsSubByteInteger(ElementType type) { return IsIntegerType(type) && InfoOf(type).bits < 8; }

llvm::Value* Bits(IrBuilder& b, llvm::Value* value) {
  return b.CreateBitCast(value, b.getIntNTy(value->getType()->getScalarSizeInBits()));
}
llvm::Value* AsFloat(IrBuilder& b, llvm::Value* bits) {
  return b.CreateBitCast(bits, b.getFloatTy());
}
llvm::Value* IsNan(IrBuilder& b, llvm::Value* x) { return b.CreateFCmpUNO(x, x); }

llvm::Constant* FloatConstant(IrBuilder& b, double value) {
  return llvm::ConstantFP::get(b.getFloatTy(), value);
}

// Converts the stored bits of a type of at most eight bits to a float.
llvm::Value* DecodeSmall(IrBuilder& b, ElementType type, llvm::Value* stored) {
  const FloatFormat format = FloatFormatOf(type);
  llvm::Value* bits = b.CreateZExt(stored, b.getInt32Ty());
  if (format.specials == FloatSpecials::kExpOnly) {
    llvm::Value* normal = b.CreateShl(bits, 23);
    llvm::Value* least = b.CreateSelect(b.CreateIsNull(bits), b.getInt32(0x400000), normal);
    return AsFloat(
        b, b.CreateSelect(b.CreateICmpEQ(bits, b.getInt32(0xFF)), b.getInt32(0x7FC00000), least));
  }
  const int mantissa = format.mantissa_bits;
  const int sign_shift = format.exponent_bits + mantissa;
  llvm::Value* magnitude = b.CreateAnd(bits, b.getInt32((1U << sign_shift) - 1));
  llvm::Value* sign = b.CreateShl(b.CreateAnd(bits, b.getInt32(1U << sign_shift)), 31 - sign_shift);
  llvm::Value* normal = b.CreateAdd(b.CreateShl(magnitude, 23 - mantissa),
                                    b.getInt32(static_cast<uint32_t>(127 - format.bias) << 23));
  // Subnormal numbers are equally spaced.
  llvm::Value* subnormal =
      Bits(b, b.CreateFMul(b.CreateUIToFP(magnitude, b.getFloatTy()),
                           FloatConstant(b, std::ldexp(1.0, 1 - format.bias - mantissa))));
  llvm::Value* value =
      b.CreateSelect(b.CreateICmpULT(magnitude, b.getInt32(1U << mantissa)), subnormal, normal);
  llvm::Value* nan = b.getInt32(0x7FC00000);
  const uint32_t infinity = ((1U << format.exponent_bits) - 1) << mantissa;
  switch (format.specials) {
    case FloatSpecials::kIeee:
      value = b.CreateSelect(b.CreateICmpEQ(magnitude, b.getInt32(infinity)),
                             b.getInt32(0x7F800000), value);
      value = b.CreateSelect(b.CreateICmpUGT(magnitude, b.getInt32(infinity)), nan, value);
      break;
    case FloatSpecials::kFn:
      value =
          b.CreateSelect(b.CreateICmpEQ(magnitude, b.getInt32((1U << sign_shift) - 1)), nan, value);
      break;
    case FloatSpecials::kFnuz: {
      llvm::Value* own = b.CreateAnd(bits, b.getInt32((2U << sign_shift) - 1));
      value = b.CreateSelect(b.CreateICmpEQ(own, b.getInt32(1U << sign_shift)), nan, value);
      break;
    }
    default: break;
  }
  return AsFloat(b, b.CreateOr(value, sign));
}

// The format has only an exponent: ties round up, and values that are not positive become NaN.
llvm::Value* EncodeExponent(IrBuilder& b, llvm::Value* x) {
  llvm::Value* bits = Bits(b, x);
  llvm::Value* exponent = b.CreateLShr(bits, 23);
  llvm::Value* half = b.CreateAnd(b.CreateLShr(bits, 22), b.getInt32(1));
  llvm::Value* subnormal =
      b.CreateZExt(b.CreateICmpUGT(bits, b.getInt32(0x400000)), b.getInt32Ty());
  llvm::Value* value =
      b.CreateSelect(b.CreateIsNull(exponent), subnormal, b.CreateAdd(exponent, half));
  llvm::Value* positive = b.CreateFCmpOGT(x, FloatConstant(b, 0));
  llvm::Value* in_range = b.CreateAnd(positive, b.CreateICmpULT(value, b.getInt32(0xFF)));
  return b.CreateSelect(in_range, value, b.getInt32(0xFF));
}

// Rounds a float to a type of at most eight bits and returns the bits of that type.
llvm::Value* EncodeSmall(IrBuilder& b, ElementType type, llvm::Value* x) {
  const FloatFormat format = FloatFormatOf(type);
  if (format.specials == FloatSpecials::kExpOnly) {
    return b.CreateTrunc(EncodeExponent(b, x), b.getInt8Ty());
  }
  const int mantissa = format.mantissa_bits;
  const int sign_shift = format.exponent_bits + mantissa;
  const int drop = 23 - mantissa;
  llvm::Value* bits = Bits(b, x);
  llvm::Value* magnitude = b.CreateAnd(bits, b.getInt32(0x7FFFFFFF));
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(magnitude, drop), b.getInt32(1));
  llvm::Value* rounded =
      b.CreateAdd(b.CreateAdd(magnitude, b.getInt32((1U << (drop - 1)) - 1)), odd);
  llvm::Value* normal =
      b.CreateSub(b.CreateLShr(rounded, drop),
                  b.getInt32(static_cast<uint32_t>(127 - format.bias) << mantissa));
  // Adding a number whose ulp is the subnormal spacing rounds to that spacing.
  const double unit = std::ldexp(1.0, 1 - format.bias - mantissa);
  const double shifter = unit * 0x1p23;
  llvm::Value* shifted = b.CreateFAdd(AsFloat(b, magnitude), FloatConstant(b, shifter));
  llvm::Value* subnormal = b.CreateSub(
      Bits(b, shifted), b.getInt32(std::bit_cast<uint32_t>(static_cast<float>(shifter))));
  const uint32_t least_normal = static_cast<uint32_t>(128 - format.bias) << 23;
  llvm::Value* value =
      b.CreateSelect(b.CreateICmpULT(magnitude, b.getInt32(least_normal)), subnormal, normal);
  const auto largest = static_cast<uint32_t>(MaxFiniteBits(type));
  const auto encode = [&](double special) {
    return b.getInt32(static_cast<uint32_t>(EncodeFloat(type, special)));
  };
  llvm::Value* is_large = b.CreateICmpUGT(value, b.getInt32(largest));
  value = b.CreateSelect(is_large, encode(HUGE_VAL), value);
  llvm::Value* sign = b.CreateShl(b.CreateLShr(bits, 31), sign_shift);
  llvm::Value* is_nan = b.CreateICmpUGT(magnitude, b.getInt32(0x7F800000));
  switch (format.specials) {
    case FloatSpecials::kFnuz:
      // There is no negative zero; its bit pattern is the NaN.
      sign = b.CreateSelect(b.CreateIsNull(value), b.getInt32(0), sign);
      value = b.CreateSelect(is_nan, encode(NAN), b.CreateOr(value, sign));
      break;
    case FloatSpecials::kNone:
      value = b.CreateSelect(is_nan, encode(NAN), b.CreateOr(value, sign));
      break;
    default: value = b.CreateOr(b.CreateSelect(is_nan, encode(NAN), value), sign); break;
  }
  return b.CreateTrunc(value, b.getInt8Ty());
}

// Rounds the upper half to nearest even. The hardware instruction would flush subnormals.
llvm::Value* EncodeBFloat16(IrBuilder& b, llvm::Value* x) {
  llvm::Value* bits = Bits(b, x);
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(bits, 16), b.getInt32(1));
  llvm::Value* rounded = b.CreateAdd(b.CreateAdd(bits, b.getInt32(0x7FFF)), odd);
  llvm::Value* quiet = b.CreateOr(bits, b.getInt32(0x400000));
  return b.CreateTrunc(b.CreateLShr(b.CreateSelect(IsNan(b, x), quiet, rounded), 16),
                       b.getInt16Ty());
}

std::string WidenName(ElementType type) { return "halo.widen." + std::string(TextOf(type)); }
std::string NarrowName(ElementType type) { return "halo.narrow." + std::string(TextOf(type)); }

llvm::Value* DecodeBody(IrBuilder& b, ElementType type, llvm::Value* stored) {
  if (type == ElementType::kBF16) {
    return AsFloat(b, b.CreateShl(b.CreateZExt(stored, b.getInt32Ty()), 16));
  }
  if (type == ElementType::kF16) {
    return b.CreateFPExt(b.CreateBitCast(stored, b.getHalfTy()), b.getFloatTy());
  }
  return DecodeSmall(b, type, stored);
}
llvm::Value* EncodeBody(IrBuilder& b, ElementType type, llvm::Value* x) {
  if (type == ElementType::kBF16) return EncodeBFloat16(b, x);
  if (type == ElementType::kF16) {
    return b.CreateBitCast(b.CreateFPTrunc(x, b.getHalfTy()), b.getInt16Ty());
  }
  return EncodeSmall(b, type, x);
}

// The stored value that `computed` was widened from, or null.
llvm::Value* WidenedFrom(ElementType type, llvm::Value* computed) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(computed);
  if (call == nullptr || call->getCalledFunction() == nullptr) return nullptr;
  return call->getCalledFunction()->getName() == WidenName(type) ? call->getArgOperand(0) : nullptr;
}

// Keeps the low bits of an integer narrower than a byte and extends them again.
llvm::Value* WrapSubByte(IrBuilder& b, ElementType type, llvm::Value* value) {
  const int bits = InfoOf(type).bits;
  const auto width = static_cast<int>(value->getType()->getIntegerBitWidth());
  if (IsSigned(type)) {
    return b.CreateAShr(b.CreateShl(value, static_cast<uint64_t>(width - bits)),
                        static_cast<uint64_t>(width - bits));
  }
  return b.CreateAnd(value, llvm::ConstantInt::get(value->getType(), (1U << bits) - 1));
}

// Converts to f32 with rounding to odd (truncate, and set the last bit if anything was lost), so
// that a second rounding to fewer bits is exact.
llvm::Value* TruncateToOdd(IrBuilder& b, llvm::Value* x) {
  return CallInline(
      b, "halo.f64_to_odd_f32", b.getFloatTy(), {x}, [](IrBuilder& in, IrValues arguments) {
        llvm::Value* wide = arguments[0];
        llvm::Value* near = in.CreateFPTrunc(wide, in.getFloatTy());
        llvm::Value* back = in.CreateFPExt(near, in.getDoubleTy());
        llvm::Value* bits = Bits(in, near);
        llvm::Value* beyond =
            in.CreateFCmpOGT(in.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                             in.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, wide));
        llvm::Value* cut = in.CreateSub(bits, in.CreateZExt(beyond, in.getInt32Ty()));
        llvm::Value* lost = in.CreateZExt(in.CreateFCmpONE(back, wide), in.getInt32Ty());
        return AsFloat(in, in.CreateOr(cut, lost));
      });
}

// Rounds to nearest, but never down to zero.
llvm::Value* TruncatePositive(IrBuilder& b, llvm::Value* x) {
  llvm::Value* least = llvm::ConstantFP::get(b.getDoubleTy(), 0x1p-149);
  llvm::Value* tiny = b.CreateAnd(b.CreateFCmpOGT(x, llvm::ConstantFP::getZero(x->getType())),
                                  b.CreateFCmpOLT(x, least));
  return b.CreateFPTrunc(b.CreateSelect(tiny, least, x), b.getFloatTy());
}

// Saturates by comparisons around a conversion to 32 bits, which vectors have; LLVM's saturating
// conversion is taken apart into scalars. NaN becomes 0.
llvm::Value* SaturateBy32Bits(IrBuilder& b, int bits, bool is_signed, llvm::Value* value) {
  llvm::Type* real = value->getType();
  llvm::Type* type = b.getIntNTy(static_cast<unsigned>(std::max(bits, 8)));
  const int64_t least = is_signed ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t beyond = int64_t{1} << (is_signed ? bits - 1 : bits);
  llvm::Value* low = llvm::ConstantFP::get(real, static_cast<double>(least));
  llvm::Value* high = llvm::ConstantFP::get(real, static_cast<double>(beyond));
  llvm::Value* is_low = b.CreateFCmpOLT(value, low);
  llvm::Value* is_high = b.CreateFCmpOGE(value, high);
  llvm::Value* is_inside = b.CreateAnd(b.CreateFCmpOGE(value, low), b.CreateFCmpOLT(value, high));
  llvm::Value* inside = b.CreateSelect(is_inside, value, llvm::ConstantFP::getZero(real));
  llvm::Value* result = b.CreateTrunc(b.CreateFPToSI(inside, b.getInt32Ty()), type);
  result = b.CreateSelect(is_high, llvm::ConstantInt::getSigned(type, beyond - 1), result);
  return b.CreateSelect(is_low, llvm::ConstantInt::getSigned(type, least), result);
}

llvm::Value* FloatToInteger(IrBuilder& b, ElementType to, llvm::Value* value) {
  const int bits = InfoOf(to).bits;
  if (bits <= 16 || (bits == 32 && IsSigned(to))) {
    return SaturateBy32Bits(b, bits, IsSigned(to), value);
  }
  llvm::Type* type = b.getIntNTy(static_cast<unsigned>(bits));
  const bool is_signed = IsSigned(to);
  return b.CreateIntrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                           {type, value->getType()}, {value});
}

llvm::Value* IntegerToFloat(IrBuilder& b, ElementType from, llvm::Type* to, llvm::Value* value) {
  return IsSigned(from) ? b.CreateSIToFP(value, to) : b.CreateUIToFP(value, to);
}

llvm::Value* IntegerToInteger(IrBuilder& b, ElementType from, ElementType to, llvm::Value* value) {
  llvm::Type* type = ComputedType(b.getContext(), to);
  value = IsSigned(from) ? b.CreateSExtOrTrunc(value, type) : b.CreateZExtOrTrunc(value, type);
  return Round(b, to, value);
}

llvm::Value* MakeComplex(IrBuilder& b, ElementType type, llvm::Value* real) {
  llvm::Type* parts = ComputedType(b.getContext(), type);
  return b.CreateInsertValue(llvm::Constant::getNullValue(parts), real, 0);
}

llvm::Value* ConvertComplex(IrBuilder& b, ElementType from, ElementType to, llvm::Value* value) {
  const ElementType part = from == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
  llvm::Value* real = b.CreateExtractValue(value, 0);
  if (InfoOf(to).klass != ElementClass::kComplex) return EmitConvert(b, part, to, real);
  const ElementType to_part = to == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
  llvm::Value* imag = EmitConvert(b, part, to_part, b.CreateExtractValue(value, 1));
  return b.CreateInsertValue(MakeComplex(b, to, EmitConvert(b, part, to_part, real)), imag, 1);
}

}  // namespace

int CountedBits(ElementType type) { return type == ElementType::kPred ? 1 : InfoOf(type).bits; }

llvm::Value* Widen(llvm::IRBuilderBase& b, ElementType type, llvm::Value* stored) {
  if (type == ElementType::kPred) return b.CreateIsNotNull(stored);
  if (IsSubByteInteger(type)) return WrapSubByte(b, type, stored);
  if (!IsSmallFloat(type)) return stored;
  return CallInline(
      b, WidenName(type), b.getFloatTy(), {stored},
      [type](IrBuilder& in, IrValues arguments) { return DecodeBody(in, type, arguments[0]); });
}

llvm::Value* Narrow(llvm::IRBuilderBase& b, ElementType type, llvm::Value* computed) {
  if (type == ElementType::kPred) return b.CreateZExt(computed, b.getInt8Ty());
  if (!IsSmallFloat(type)) return computed;
  if (llvm::Value* stored = WidenedFrom(type, computed)) return stored;
  return CallInline(
      b, NarrowName(type), StoredType(b.getContext(), type), {computed},
      [type](IrBuilder& in, IrValues arguments) { return EncodeBody(in, type, arguments[0]); });
}

llvm::Value* Round(llvm::IRBuilderBase& b, ElementType type, llvm::Value* computed) {
  if (IsSubByteInteger(type)) return WrapSubByte(b, type, computed);
  if (!IsSmallFloat(type) || WidenedFrom(type, computed) != nullptr) return computed;
  return Widen(b, type, Narrow(b, type, computed));
}

llvm::Value* ToFloatType(IrBuilder& b, ElementType type, llvm::Value* value) {
  if (type == ElementType::kF64) {
    return value->getType()->isDoubleTy() ? value : b.CreateFPExt(value, b.getDoubleTy());
  }
  if (value->getType()->isDoubleTy()) {
    value = type == ElementType::kF32         ? b.CreateFPTrunc(value, b.getFloatTy())
            : type == ElementType::kF8E8M0FNU ? TruncatePositive(b, value)
                                              : TruncateToOdd(b, value);
  }
  return Round(b, type, value);
}

llvm::Value* EmitConvert(IrBuilder& b, ElementType from, ElementType to, llvm::Value* value) {
  if (from == to) return value;
  const ElementClass kind = InfoOf(from).klass;
  if (kind == ElementClass::kComplex) return ConvertComplex(b, from, to, value);
  const bool is_float = kind == ElementClass::kFloat;
  switch (InfoOf(to).klass) {
    case ElementClass::kPred:
      return is_float ? b.CreateFCmpUNE(value, llvm::ConstantFP::getZero(value->getType()))
                      : b.CreateIsNotNull(value);
    case ElementClass::kSigned:
    case ElementClass::kUnsigned:
      return is_float ? FloatToInteger(b, to, value) : IntegerToInteger(b, from, to, value);
    case ElementClass::kFloat:
      if (is_float) return ToFloatType(b, to, value);
      return Round(b, to, IntegerToFloat(b, from, ComputedType(b.getContext(), to), value));
    default: {
      const ElementType part = to == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
      return MakeComplex(b, to, EmitConvert(b, from, part, value));
    }
  }
}

}  // namespace halo
