// Loads, stores and rounds lanes. f32, f64, bf16, f16 and whole-byte integers have dedicated loops;
// the small floats go through halo/ir's encoder one by one.
#include "halo/eval/lanes/lanes.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "halo/ir/types/numeric.h"

namespace halo {
namespace {

using Complex = std::complex<double>;

template <class T>
T LoadAs(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
void StoreAs(T value, uint8_t* to) {
  std::memcpy(to, &value, sizeof(T));
}

// Types narrower than a byte use the low bits; the bits above them are ignored.
int64_t SignExtend(uint64_t bits, int width) {
  const int shift = 64 - width;
  return static_cast<int64_t>(bits << shift) >> shift;
}
uint64_t ZeroExtend(uint64_t bits, int width) { return bits << (64 - width) >> (64 - width); }

float BFloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// bf16 is the upper half of an f32. This rounds the double once, not twice.
uint16_t DoubleToBFloat16(double value) {
  const auto single = static_cast<float>(value);
  const auto bits = std::bit_cast<uint32_t>(single);
  if ((bits & 0x7F800000U) == 0x7F800000U) {
    const auto upper = static_cast<uint16_t>(bits >> 16);
    return std::isnan(single) ? static_cast<uint16_t>(upper | 0x40U) : upper;
  }
  // Double rounding goes wrong only if the f32 is exactly the midpoint between two bf16 numbers.
  if ((bits & 0xFFFFU) == 0x8000U && static_cast<double>(single) != value) {
    return static_cast<uint16_t>(EncodeFloat(ElementType::kBF16, value));
  }
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

float Float16ToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16;
  const uint32_t rest = half & 0x7FFFU;
  if (rest >= 0x7C00U) return std::bit_cast<float>(sign | 0x7F800000U | ((rest & 0x3FFU) << 13));
  if (rest >= 0x400U) return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000U));
  const float tiny = static_cast<float>(rest) * 0x1p-24F;
  return sign != 0 ? -tiny : tiny;
}

uint16_t DoubleToFloat16(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 48) & 0x8000U);
  const double magnitude = std::fabs(value);
  if (!(magnitude < 65520.0)) {  // or NaN
    if (!std::isnan(value)) return static_cast<uint16_t>(sign | 0x7C00U);
    return static_cast<uint16_t>(sign | 0x7E00U | ((bits >> 42) & 0x3FFU));
  }
  if (magnitude < 0x1p-14) {  // subnormal: in units of 2^-24
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24)));
  }
  const uint64_t rest = bits & 0x7FFFFFFFFFFFFFFFULL;
  const uint64_t rounded = rest + 0x1FFFFFFFFFFULL + ((rest >> 42) & 1U);
  return static_cast<uint16_t>(sign | ((rounded >> 42) - (static_cast<uint64_t>(1023 - 15) << 10)));
}

template <class From, class Lane>
void LoadLoop(const uint8_t* from, int64_t stride, size_t n, Lane* lanes) {
  if (stride == 1) {
    for (size_t i = 0; i < n; ++i) {
      lanes[i] = static_cast<Lane>(LoadAs<From>(from + i * sizeof(From)));
    }
    return;
  }
  const auto step = static_cast<ptrdiff_t>(stride * static_cast<int64_t>(sizeof(From)));
  for (size_t i = 0; i < n; ++i) {
    lanes[i] = static_cast<Lane>(LoadAs<From>(from + static_cast<ptrdiff_t>(i) * step));
  }
}

template <class From, class Lane, class Decode>
void DecodeLoop(const uint8_t* from, int64_t stride, size_t n, Lane* lanes, const Decode& decode) {
  const auto step = static_cast<ptrdiff_t>(stride * static_cast<int64_t>(sizeof(From)));
  for (size_t i = 0; i < n; ++i) {
    lanes[i] = decode(LoadAs<From>(from + static_cast<ptrdiff_t>(i) * step));
  }
}

template <class To, class Lane, class Encode>
void EncodeLoop(const Lane* lanes, size_t n, uint8_t* to, int64_t stride, const Encode& encode) {
  const auto step = static_cast<ptrdiff_t>(stride * static_cast<int64_t>(sizeof(To)));
  for (size_t i = 0; i < n; ++i) {
    StoreAs<To>(encode(lanes[i]), to + static_cast<ptrdiff_t>(i) * step);
  }
}

// Types of eight bits or fewer: a table of all values of a type.
using FloatTable = std::array<double, 256>;
const FloatTable& TableOf(ElementType type) {
  static const auto kTables = [] {
    std::array<FloatTable, 64> tables{};
    for (size_t t = 0; t < ElementTypeCount(); ++t) {
      const auto each = static_cast<ElementType>(t);
      if (InfoOf(each).klass != ElementClass::kFloat || InfoOf(each).bits > 8) continue;
      for (size_t bits = 0; bits < 256; ++bits) {
        const uint64_t own = ZeroExtend(bits, InfoOf(each).bits);
        tables[t][bits] = DecodeFloat(each, own);
      }
    }
    return tables;
  }();
  return kTables[static_cast<size_t>(type)];
}

void LoadInts(ElementType type, const uint8_t* from, int64_t stride, size_t n, int64_t* lanes) {
  switch (InfoOf(type).bits) {
    case 8: return LoadLoop<int8_t>(from, stride, n, lanes);
    case 16: return LoadLoop<int16_t>(from, stride, n, lanes);
    case 32: return LoadLoop<int32_t>(from, stride, n, lanes);
    case 64: return LoadLoop<int64_t>(from, stride, n, lanes);
    default:
      return DecodeLoop<uint8_t>(from, stride, n, lanes, [type](uint8_t bits) {
        return SignExtend(bits, InfoOf(type).bits);
      });
  }
}

void LoadUints(ElementType type, const uint8_t* from, int64_t stride, size_t n, uint64_t* lanes) {
  if (type == ElementType::kPred) {
    return DecodeLoop<uint8_t>(from, stride, n, lanes,
                               [](uint8_t bits) { return static_cast<uint64_t>(bits != 0); });
  }
  switch (InfoOf(type).bits) {
    case 8: return LoadLoop<uint8_t>(from, stride, n, lanes);
    case 16: return LoadLoop<uint16_t>(from, stride, n, lanes);
    case 32: return LoadLoop<uint32_t>(from, stride, n, lanes);
    case 64: return LoadLoop<uint64_t>(from, stride, n, lanes);
    default:
      return DecodeLoop<uint8_t>(from, stride, n, lanes, [type](uint8_t bits) {
        return ZeroExtend(bits, InfoOf(type).bits);
      });
  }
}

void LoadFloats(ElementType type, const uint8_t* from, int64_t stride, size_t n, double* lanes) {
  switch (type) {
    case ElementType::kF32: return LoadLoop<float>(from, stride, n, lanes);
    case ElementType::kF64: return LoadLoop<double>(from, stride, n, lanes);
    case ElementType::kBF16:
      return DecodeLoop<uint16_t>(from, stride, n, lanes, [](uint16_t bits) {
        return static_cast<double>(BFloat16ToFloat(bits));
      });
    case ElementType::kF16:
      return DecodeLoop<uint16_t>(from, stride, n, lanes, [](uint16_t bits) {
        return static_cast<double>(Float16ToFloat(bits));
      });
    default: {
      const FloatTable& table = TableOf(type);
      return DecodeLoop<uint8_t>(from, stride, n, lanes,
                                 [&table](uint8_t bits) { return table[bits]; });
    }
  }
}

void LoadComplexes(ElementType type, const uint8_t* from, int64_t stride, size_t n,
                   Complex* lanes) {
  if (type == ElementType::kC64) {
    return DecodeLoop<std::complex<float>>(from, stride, n, lanes, [](std::complex<float> each) {
      return Complex(each.real(), each.imag());
    });
  }
  DecodeLoop<Complex>(from, stride, n, lanes, [](Complex each) { return each; });
}

template <class Lane>
void StoreIntegers(int bits, const Lane* lanes, size_t n, uint8_t* to, int64_t stride) {
  switch (bits) {
    case 8:
      return EncodeLoop<uint8_t>(lanes, n, to, stride,
                                 [](Lane v) { return static_cast<uint8_t>(v); });
    case 16:
      return EncodeLoop<uint16_t>(lanes, n, to, stride,
                                  [](Lane v) { return static_cast<uint16_t>(v); });
    case 32:
      return EncodeLoop<uint32_t>(lanes, n, to, stride,
                                  [](Lane v) { return static_cast<uint32_t>(v); });
    case 64:
      return EncodeLoop<uint64_t>(lanes, n, to, stride,
                                  [](Lane v) { return static_cast<uint64_t>(v); });
    default:
      return EncodeLoop<uint8_t>(lanes, n, to, stride, [bits](Lane v) {
        return std::is_signed_v<Lane>
                   ? static_cast<uint8_t>(SignExtend(static_cast<uint64_t>(v), bits))
                   : static_cast<uint8_t>(ZeroExtend(static_cast<uint64_t>(v), bits));
      });
  }
}

void StoreFloats(ElementType type, const double* lanes, size_t n, uint8_t* to, int64_t stride) {
  switch (type) {
    case ElementType::kF32:
      return EncodeLoop<float>(lanes, n, to, stride,
                               [](double v) { return static_cast<float>(v); });
    case ElementType::kF64:
      return EncodeLoop<double>(lanes, n, to, stride, [](double v) { return v; });
    case ElementType::kBF16: return EncodeLoop<uint16_t>(lanes, n, to, stride, DoubleToBFloat16);
    case ElementType::kF16: return EncodeLoop<uint16_t>(lanes, n, to, stride, DoubleToFloat16);
    default:
      return EncodeLoop<uint8_t>(lanes, n, to, stride, [type](double v) {
        return static_cast<uint8_t>(EncodeFloat(type, v));
      });
  }
}

}  // namespace

LaneKind LaneKindOf(ElementType type) {
  switch (InfoOf(type).klass) {
    case ElementClass::kSigned: return LaneKind::kInt;
    case ElementClass::kFloat: return LaneKind::kFloat;
    case ElementClass::kComplex: return LaneKind::kComplex;
    default: return LaneKind::kUint;
  }
}

void LoadLanes(ElementType type, const uint8_t* from, int64_t stride, size_t n, void* lanes) {
  switch (LaneKindOf(type)) {
    case LaneKind::kInt: return LoadInts(type, from, stride, n, static_cast<int64_t*>(lanes));
    case LaneKind::kUint: return LoadUints(type, from, stride, n, static_cast<uint64_t*>(lanes));
    case LaneKind::kFloat: return LoadFloats(type, from, stride, n, static_cast<double*>(lanes));
    case LaneKind::kComplex:
      return LoadComplexes(type, from, stride, n, static_cast<Complex*>(lanes));
  }
}

void StoreLanesStrided(ElementType type, const void* lanes, size_t n, uint8_t* to, int64_t stride) {
  switch (LaneKindOf(type)) {
    case LaneKind::kInt:
      return StoreIntegers(InfoOf(type).bits, static_cast<const int64_t*>(lanes), n, to, stride);
    case LaneKind::kUint:
      if (type == ElementType::kPred) {
        return EncodeLoop<uint8_t>(static_cast<const uint64_t*>(lanes), n, to, stride,
                                   [](uint64_t v) { return static_cast<uint8_t>(v != 0); });
      }
      return StoreIntegers(InfoOf(type).bits, static_cast<const uint64_t*>(lanes), n, to, stride);
    case LaneKind::kFloat:
      return StoreFloats(type, static_cast<const double*>(lanes), n, to, stride);
    case LaneKind::kComplex:
      if (type == ElementType::kC64) {
        return EncodeLoop<std::complex<float>>(
            static_cast<const Complex*>(lanes), n, to, stride, [](const Complex& v) {
              return std::complex<float>(static_cast<float>(v.real()),
                                         static_cast<float>(v.imag()));
            });
      }
      return EncodeLoop<Complex>(static_cast<const Complex*>(lanes), n, to, stride,
                                 [](const Complex& v) { return v; });
  }
}

void StoreLanes(ElementType type, const void* lanes, size_t n, uint8_t* to) {
  StoreLanesStrided(type, lanes, n, to, 1);
}

void RoundLanes(ElementType type, size_t n, void* lanes) {
  if (type == ElementType::kF64 || type == ElementType::kC128) return;
  if (InfoOf(type).bits == 64 && LaneKindOf(type) != LaneKind::kComplex) return;
  if (type == ElementType::kF32) {
    auto* values = static_cast<double*>(lanes);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(values[i]);
    return;
  }
  alignas(16) std::array<uint8_t, kBlock * 8> stored;
  StoreLanes(type, lanes, n, stored.data());
  LoadLanes(type, stored.data(), 1, n, lanes);
}

double LoadFloat(ElementType type, const uint8_t* from) {
  switch (LaneKindOf(type)) {
    case LaneKind::kFloat: {
      double value = 0;
      LoadFloats(type, from, 1, 1, &value);
      return value;
    }
    case LaneKind::kInt: {
      int64_t value = 0;
      LoadInts(type, from, 1, 1, &value);
      return static_cast<double>(value);
    }
    case LaneKind::kUint: {
      uint64_t value = 0;
      LoadUints(type, from, 1, 1, &value);
      return static_cast<double>(value);
    }
    case LaneKind::kComplex: return LoadComplex(type, from).real();
  }
  return 0;
}

int64_t LoadInt(ElementType type, const uint8_t* from) {
  if (LaneKindOf(type) == LaneKind::kInt) {
    int64_t value = 0;
    LoadInts(type, from, 1, 1, &value);
    return value;
  }
  uint64_t value = 0;
  LoadUints(type, from, 1, 1, &value);
  return static_cast<int64_t>(value);
}

Complex LoadComplex(ElementType type, const uint8_t* from) {
  if (LaneKindOf(type) != LaneKind::kComplex) return {LoadFloat(type, from), 0.0};
  Complex value;
  LoadComplexes(type, from, 1, 1, &value);
  return value;
}

void StoreFloat(ElementType type, double value, uint8_t* to) { StoreLanes(type, &value, 1, to); }

void StoreInt(ElementType type, int64_t value, uint8_t* to) {
  if (LaneKindOf(type) == LaneKind::kInt) return StoreLanes(type, &value, 1, to);
  const auto bits = static_cast<uint64_t>(value);
  StoreLanes(type, &bits, 1, to);
}

void StoreComplex(ElementType type, Complex value, uint8_t* to) {
  if (LaneKindOf(type) != LaneKind::kComplex) return StoreFloat(type, value.real(), to);
  StoreLanes(type, &value, 1, to);
}

}  // namespace halo
