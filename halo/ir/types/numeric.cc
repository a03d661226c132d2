// Encodes and decodes every float format from its description.
#include "halo/ir/types/numeric.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "halo/base/check.h"
#include "halo/ir/types/float_format.h"

namespace halo {

FloatFormat FloatFormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF4E2M1FN: return {2, 1, 1, FloatSpecials::kNone};
    case ElementType::kF6E2M3FN: return {2, 3, 1, FloatSpecials::kNone};
    case ElementType::kF6E3M2FN: return {3, 2, 3, FloatSpecials::kNone};
    case ElementType::kF8E3M4: return {3, 4, 3, FloatSpecials::kIeee};
    case ElementType::kF8E4M3: return {4, 3, 7, FloatSpecials::kIeee};
    case ElementType::kF8E4M3FN: return {4, 3, 7, FloatSpecials::kFn};
    case ElementType::kF8E4M3B11FNUZ: return {4, 3, 11, FloatSpecials::kFnuz};
    case ElementType::kF8E4M3FNUZ: return {4, 3, 8, FloatSpecials::kFnuz};
    case ElementType::kF8E5M2: return {5, 2, 15, FloatSpecials::kIeee};
    case ElementType::kF8E5M2FNUZ: return {5, 2, 16, FloatSpecials::kFnuz};
    case ElementType::kF8E8M0FNU: return {8, 0, 127, FloatSpecials::kExpOnly};
    case ElementType::kF16: return {5, 10, 15, FloatSpecials::kIeee};
    case ElementType::kBF16: return {8, 7, 127, FloatSpecials::kIeee};
    case ElementType::kF32: return {8, 23, 127, FloatSpecials::kIeee};
    case ElementType::kF64: return {11, 52, 1023, FloatSpecials::kIeee};
    default: break;
  }
  HALO_CHECK(false && "not a float type");
}

namespace {

uint64_t Ones(int count) { return count >= 64 ? ~0ull : (1ull << count) - 1; }

int SignShift(const FloatFormat& format) { return format.exponent_bits + format.mantissa_bits; }

// Number of digits that always reads back to the same value: ceil(1 + p log10 2).
int MaxDigits(const FloatFormat& format) {
  return static_cast<int>(std::ceil(1.0 + (format.mantissa_bits + 1) * 0.30102999566398120));
}

bool HasPayload(ElementType type) {
  switch (type) {
    case ElementType::kF8E3M4:
    case ElementType::kF8E4M3:
    case ElementType::kF8E5M2:
    case ElementType::kF16:
    case ElementType::kBF16:
    case ElementType::kF32:
    case ElementType::kF64: return true;
    default: return false;
  }
}

void AppendDigits(double value, int precision, TextBuffer& out) {
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::general, precision);
  out << std::string_view(digits.data(), static_cast<size_t>(end.ptr - digits.data()));
}

}  // namespace

double DecodeFloat(ElementType type, uint64_t bits) {
  if (type == ElementType::kF64) return std::bit_cast<double>(bits);
  if (type == ElementType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  const FloatFormat format = FloatFormatOf(type);
  if (format.specials == FloatSpecials::kExpOnly) {
    return bits == 0xFF ? std::nan("") : std::ldexp(1.0, static_cast<int>(bits) - format.bias);
  }
  const bool negative = (bits >> SignShift(format) & 1) != 0;
  if (IsNan(type, bits)) return negative ? -std::nan("") : std::nan("");
  const auto exponent = static_cast<int>(bits >> format.mantissa_bits & Ones(format.exponent_bits));
  const uint64_t mantissa = bits & Ones(format.mantissa_bits);
  double value;
  if (format.specials == FloatSpecials::kIeee &&
      exponent == static_cast<int>(Ones(format.exponent_bits))) {
    value = HUGE_VAL;
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<double>(mantissa), 1 - format.bias - format.mantissa_bits);
  } else {
    value = std::ldexp(static_cast<double>(mantissa | 1ull << format.mantissa_bits),
                       exponent - format.bias - format.mantissa_bits);
  }
  return negative ? -value : value;
}

bool IsNan(ElementType type, uint64_t bits) {
  const FloatFormat format = FloatFormatOf(type);
  const uint64_t magnitude = bits & Ones(SignShift(format));
  const uint64_t infinity = Ones(format.exponent_bits) << format.mantissa_bits;
  switch (format.specials) {
    case FloatSpecials::kIeee: return magnitude > infinity;
    case FloatSpecials::kFn: return magnitude == Ones(SignShift(format));
    case FloatSpecials::kFnuz: return bits == 1ull << SignShift(format);
    case FloatSpecials::kNone: return false;
    case FloatSpecials::kExpOnly: return bits == 0xFF;
  }
  return false;
}

uint64_t MaxFiniteBits(ElementType type) {
  const FloatFormat format = FloatFormatOf(type);
  const uint64_t all = Ones(SignShift(format));
  switch (format.specials) {
    case FloatSpecials::kIeee: return (Ones(format.exponent_bits) << format.mantissa_bits) - 1;
    case FloatSpecials::kFn: return all - 1;
    case FloatSpecials::kFnuz:
    case FloatSpecials::kNone: return all;
    case FloatSpecials::kExpOnly: return 0xFE;
  }
  return all;
}

std::optional<uint64_t> EncodeNan(ElementType type, bool negative,
                                  std::optional<uint64_t> payload) {
  const FloatFormat format = FloatFormatOf(type);
  const uint64_t sign = negative ? 1ull << SignShift(format) : 0;
  switch (format.specials) {
    case FloatSpecials::kIeee: {
      const uint64_t quiet = 1ull << (format.mantissa_bits - 1);
      const uint64_t mantissa = payload.value_or(quiet);
      if (mantissa == 0 || mantissa > Ones(format.mantissa_bits)) return std::nullopt;
      return sign | Ones(format.exponent_bits) << format.mantissa_bits | mantissa;
    }
    case FloatSpecials::kFn: return sign | Ones(SignShift(format));
    case FloatSpecials::kFnuz: return 1ull << SignShift(format);
    case FloatSpecials::kExpOnly: return 0xFF;
    case FloatSpecials::kNone: return std::nullopt;
  }
  return std::nullopt;
}

uint64_t EncodeFloat(ElementType type, double value) {
  if (type == ElementType::kF64) return std::bit_cast<uint64_t>(value);
  if (type == ElementType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  const FloatFormat format = FloatFormatOf(type);
  if (std::isnan(value)) {
    // A type without NaN has a negative zero in its place, as XLA and ml_dtypes define it.
    const uint64_t negative_zero = 1ull << SignShift(format);
    return EncodeNan(type, std::signbit(value), std::nullopt).value_or(negative_zero);
  }
  if (format.specials == FloatSpecials::kExpOnly) {
    // No zero and no sign; ties round up. Among subnormal floats, any value above the smallest
    // rounds up too.
    if (!(value > 0)) return 0xFF;
    const auto narrow = static_cast<float>(value);
    const auto bits = std::bit_cast<uint32_t>(narrow);
    const uint32_t exponent = bits >> 23;
    if (exponent == 0) return bits > 0x400000 ? 1 : 0;
    return std::min<uint64_t>(exponent + (bits >> 22 & 1), 0xFF);
  }
  const uint64_t sign = std::signbit(value) ? 1ull << SignShift(format) : 0;
  const double magnitude = std::fabs(value);
  const uint64_t largest = MaxFiniteBits(type);
  uint64_t bits = 0;
  if (std::isinf(magnitude)) {
    bits = largest + 1;
  } else if (magnitude != 0) {
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // The unit in the last place. Subnormals share the smallest one.
    const int unit = std::max(exponent - 1, 1 - format.bias) - format.mantissa_bits;
    const double scaled = std::nearbyint(std::ldexp(magnitude, -unit));
    const auto whole = static_cast<uint64_t>(scaled);
    const int biased = unit + format.mantissa_bits + format.bias;
    // The implicit bit adds one to the exponent field, as does a carry from rounding.
    bits = (static_cast<uint64_t>(biased - 1) << format.mantissa_bits) + whole;
  }
  if (bits > largest) {
    switch (format.specials) {
      case FloatSpecials::kIeee: bits = Ones(format.exponent_bits) << format.mantissa_bits; break;
      case FloatSpecials::kFn: bits = Ones(SignShift(format)); break;
      case FloatSpecials::kFnuz: return 1ull << SignShift(format);
      default: bits = largest; break;
    }
  }
  if (format.specials == FloatSpecials::kFnuz && bits == 0) return 0;
  return sign | bits;
}

void AppendFloat(ElementType type, uint64_t bits, TextBuffer& out) {
  const FloatFormat format = FloatFormatOf(type);
  if (IsNan(type, bits)) {
    const bool negative =
        format.specials != FloatSpecials::kExpOnly && (bits >> SignShift(format) & 1) != 0;
    out << (negative ? "-nan" : "nan");
    if (!HasPayload(type)) return;
    const uint64_t payload = bits & Ones(format.mantissa_bits);
    if (payload == 1ull << (format.mantissa_bits - 1)) return;
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), payload, 16);
    out << "(0x" << std::string_view(digits.data(), static_cast<size_t>(end.ptr - digits.data()))
        << ')';
    return;
  }
  const double value = DecodeFloat(type, bits);
  if (std::isinf(value)) {
    out << (value < 0 ? "-inf" : "inf");
    return;
  }
  if (type == ElementType::kF32 || type == ElementType::kF64) {
    const size_t before = out.size();
    AppendDigits(value, type == ElementType::kF32 ? 6 : 15, out);
    const std::string_view text = out.view().substr(before);
    bool same = false;
    if (type == ElementType::kF32) {
      float back = 0;
      std::from_chars(text.data(), text.data() + text.size(), back);
      same = static_cast<double>(back) == value;
    } else {
      double back = 0;
      std::from_chars(text.data(), text.data() + text.size(), back);
      same = back == value;
    }
    if (same) return;
    out.Truncate(before);
  }
  AppendDigits(value, MaxDigits(format), out);
}

void AppendShortFloat(double value, TextBuffer& out) { AppendDigits(value, 6, out); }

}  // namespace halo
