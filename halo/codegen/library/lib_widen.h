// Runs of f32, bf16, f16, 8-bit floats and bytes as f32, inside loops that are compiled per CPU
// level.
#ifndef HALO_CODEGEN_LIBRARY_LIB_WIDEN_H_
#define HALO_CODEGEN_LIBRARY_LIB_WIDEN_H_

#include <bit>
#include <cstdint>
#include <cstring>

#include "halo/ir/types/element_type.h"
#include "halo/runtime/cpu_level.h"

namespace halo {

// The values of all 256 encodings of an 8-bit float; null for other types.
const float* ValuesOfBytes(ElementType type);

namespace widen {

struct FromF32 {
  static constexpr int64_t kBytes = 4;
  HALO_INLINE float operator()(const uint8_t* from) const {
    float value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
};
struct FromBF16 {
  static constexpr int64_t kBytes = 2;
  HALO_INLINE float operator()(const uint8_t* from) const {
    uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};
struct FromF16 {
  static constexpr int64_t kBytes = 2;
  HALO_INLINE float operator()(const uint8_t* from) const {
    _Float16 value = 0;
    std::memcpy(&value, from, sizeof value);
    return static_cast<float>(value);
  }
};
// The upper half of an f16.
struct FromE5M2 {
  static constexpr int64_t kBytes = 1;
  HALO_INLINE float operator()(const uint8_t* from) const {
    return static_cast<float>(
        std::bit_cast<_Float16>(static_cast<uint16_t>(static_cast<unsigned>(*from) << 8)));
  }
};
// Its exponent becomes the lower bits of that of an f16, which is biased by 8 more.
struct FromE4M3 {
  static constexpr int64_t kBytes = 1;
  HALO_INLINE float operator()(const uint8_t* from) const {
    const unsigned bits = *from;
    const auto half = static_cast<uint16_t>(((bits & 0x80U) << 8) | ((bits & 0x7FU) << 7));
    const float value = static_cast<float>(std::bit_cast<_Float16>(half)) * 256;
    return (bits & 0x7FU) == 0x7FU ? std::bit_cast<float>(0x7FC00000U) : value;
  }
};
struct FromS8 {
  static constexpr int64_t kBytes = 1;
  HALO_INLINE float operator()(const uint8_t* from) const { return static_cast<int8_t>(*from); }
};
struct FromU8 {
  static constexpr int64_t kBytes = 1;
  HALO_INLINE float operator()(const uint8_t* from) const { return *from; }
};
struct FromBytes {
  static constexpr int64_t kBytes = 1;
  const float* values;
  HALO_INLINE float operator()(const uint8_t* from) const { return values[*from]; }
};

template <class From>
HALO_INLINE void Run(From widened, const uint8_t* from, float* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = widened(from + i * From::kBytes);
}

// The same for a known number, which is read before anything is written: one vector.
template <int64_t kCount, class From>
HALO_INLINE void RunOf(From widened, const uint8_t* from, float* to) {
  float values[kCount];
  for (int64_t i = 0; i < kCount; ++i) values[i] = widened(from + i * From::kBytes);
  std::memcpy(to, values, sizeof values);
}

}  // namespace widen

// True for the floats; s8 and u8 widen exactly, too.
inline bool CanWiden(ElementType type) {
  using enum ElementType;
  return type == kF32 || type == kBF16 || type == kF16 || ValuesOfBytes(type) != nullptr;
}

// Calls body(From()) for one of the types above.
template <class Body>
HALO_INLINE void WithWidening(ElementType type, Body body) {
  switch (type) {
    case ElementType::kF32: return body(widen::FromF32());
    case ElementType::kBF16: return body(widen::FromBF16());
    case ElementType::kF16: return body(widen::FromF16());
    case ElementType::kF8E5M2: return body(widen::FromE5M2());
    case ElementType::kF8E4M3FN: return body(widen::FromE4M3());
    case ElementType::kS8: return body(widen::FromS8());
    case ElementType::kU8: return body(widen::FromU8());
    default: return body(widen::FromBytes{ValuesOfBytes(type)});
  }
}

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LIB_WIDEN_H_
