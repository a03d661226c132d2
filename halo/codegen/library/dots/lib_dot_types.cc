// eval accumulates products in double, or modulo 2^64, and rounds once. Here floats are accumulated
// in f32 unless an operand or the result is wider.
#include "halo/codegen/library/dots/lib_dot_types.h"

#include "halo/codegen/library/lib_widen.h"
#include "halo/codegen/library/products/lib_product.h"

namespace halo {
namespace {

using enum ElementType;

bool Is(ElementType type, ElementClass klass) { return InfoOf(type).klass == klass; }
bool IsWhole(ElementType type) { return IsIntegerType(type) || type == kPred; }

// bf16 has eight bits of precision and the range of f32, without subnormals on some processors.
bool FitsBF16(ElementType type) {
  return type == kBF16 || (InfoOf(type).bits <= 8 && type != kF8E8M0FNU);
}
bool FitsF32(ElementType type) {
  return type == kF32 || type == kF16 || type == kBF16 || InfoOf(type).bits <= 16;
}

std::vector<DotTypes> OfFloats(ElementType lhs, ElementType rhs, ElementType result) {
  const bool wide = !FitsF32(lhs) || !FitsF32(rhs) || result == kF64 || IsWhole(result);
  if (wide) return {{kF64, kF64, kF64, kF64}};
  std::vector<DotTypes> out;
  if (FitsBF16(lhs) && FitsBF16(rhs) && MultipliesBF16()) {
    const ElementType sum = result == kBF16 ? kBF16 : kF32;
    out.push_back({kBF16, kBF16, sum, sum});
  }
  if ((lhs != kF32 || rhs != kF32) && CanWiden(lhs) && CanWiden(rhs)) {
    const ElementType sum = result == kBF16 || result == kF16 ? result : kF32;
    out.push_back({lhs, rhs, sum, sum});
  }
  out.push_back({kF32, kF32, kF32, kF32});
  return out;
}

std::vector<DotTypes> OfWholeNumbers(ElementType lhs, ElementType rhs, ElementType result,
                                     int64_t summed) {
  std::vector<DotTypes> out;
  const bool narrow = IsIntegerType(result) && InfoOf(result).bits <= 32;
  const bool bytes = (lhs == kS8 || lhs == kU8) && (rhs == kS8 || rhs == kU8);
  constexpr int64_t kExact = 65536;  // this many products of bytes stay below 2^31
  if (bytes && (lhs == kS8 || rhs == kS8) && (narrow || summed <= kExact)) {
    out.push_back({lhs, rhs, kS32, kS32});
  }
  if (narrow) {
    out.push_back({kU32, kU32, kU32, kU32});
  } else {
    const bool has_signed = Is(lhs, ElementClass::kSigned) || Is(rhs, ElementClass::kSigned);
    out.push_back({kU64, kU64, kU64, has_signed && Is(result, ElementClass::kFloat) ? kS64 : kU64});
  }
  return out;
}

}  // namespace

std::vector<DotTypes> ChooseDotTypes(ElementType lhs, ElementType rhs, ElementType result,
                                     int64_t summed) {
  const auto any = [&](ElementClass klass) { return Is(lhs, klass) || Is(rhs, klass); };
  if (any(ElementClass::kComplex) || Is(result, ElementClass::kComplex)) {
    if (!Is(result, ElementClass::kComplex)) return {};
    const auto fits = [](ElementType type) { return type == kC64 || FitsF32(type); };
    const bool single = fits(lhs) && fits(rhs) && result == kC64;
    const ElementType part = single ? kF32 : kF64;
    return {{part, part, part, single ? kC64 : kC128, true}};
  }
  if (any(ElementClass::kFloat)) return OfFloats(lhs, rhs, result);
  return OfWholeNumbers(lhs, rhs, result, summed);
}

bool SameRepresentation(ElementType a, ElementType b) {
  if (a == b) return true;
  return IsIntegerType(a) && IsIntegerType(b) && InfoOf(a).bits == InfoOf(b).bits &&
         InfoOf(a).bits >= 8;
}

}  // namespace halo
