// Floats map to their bits with the sign converted to an offset; integers use the same offset.
#include "halo/codegen/library/sort/lib_sort_keys.h"

#include "halo/eval/lanes/lanes.h"
#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

// How bits of one width are converted to numbers.
struct Shape {
  bool is_float = false, is_signed = false, flips = false;
  bool joins_zeros = false, joins_nans = false;
  uint64_t infinity = 0;  // the bits of +Inf
};

Shape ShapeOf(const SortKey& key) {
  Shape shape;
  const ElementClass klass = InfoOf(key.type).klass;
  shape.is_float = klass == ElementClass::kFloat;
  shape.is_signed = klass == ElementClass::kSigned;
  shape.flips = key.descending;
  // Under `<`, zeros are equal. Where NaNs would matter, numbers are not used.
  shape.joins_zeros = shape.is_float && (key.joins_zeros || !key.total);
  shape.joins_nans = shape.is_float && key.joins_nans;
  switch (key.type) {
    case ElementType::kF16: shape.infinity = 0x7C00; break;
    case ElementType::kBF16: shape.infinity = 0x7F80; break;
    case ElementType::kF32: shape.infinity = 0x7F800000; break;
    default: shape.infinity = 0x7FF0000000000000; break;
  }
  return shape;
}

template <class T>
HALO_INLINE T NumberOf(T bits, const Shape& shape, T& seen) {
  constexpr T kSign = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));
  T number = bits;
  if (shape.is_float) {
    const T magnitude = static_cast<T>(bits & static_cast<T>(~kSign));
    const bool nan = magnitude > static_cast<T>(shape.infinity);
    seen = static_cast<T>(seen | (nan ? 1 : 0) | (magnitude == 0 ? bits == 0 ? 2 : 4 : 0));
    if (shape.joins_zeros && magnitude == 0) number = 0;
    if (shape.joins_nans && nan) number = static_cast<T>(static_cast<T>(shape.infinity) + T{1});
    number = (number & kSign) != 0 ? static_cast<T>(~number) : static_cast<T>(number | kSign);
  } else if (shape.is_signed) {
    number = static_cast<T>(number ^ kSign);
  }
  return shape.flips ? static_cast<T>(~number) : number;
}

template <class T>
void ToNumbersAs(const Shape& shape, const T* from, T* to, int64_t n, T& seen) {
  seen = ForCpu([=](auto) HALO_INLINED {
    T all = 0;
    for (int64_t i = 0; i < n; ++i) to[i] = NumberOf(from[i], shape, all);
    return all;
  });
}

template <class T>
void FromNumbersAs(const Shape& shape, T* numbers, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    constexpr T kSign = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));
    for (int64_t i = 0; i < n; ++i) {
      T number = shape.flips ? static_cast<T>(~numbers[i]) : numbers[i];
      if (shape.is_float) {
        number = (number & kSign) != 0 ? static_cast<T>(number ^ kSign) : static_cast<T>(~number);
      } else if (shape.is_signed) {
        number = static_cast<T>(number ^ kSign);
      }
      numbers[i] = number;
    }
  });
}

RowFacts FactsOf(uint64_t seen) {
  return {.has_nan = (seen & 1) != 0,
          .has_negative_zero = (seen & 4) != 0,
          .has_positive_zero = (seen & 2) != 0};
}

template <class T>
uint64_t LoadKeysAs(const Shape& shape, const void* from, int64_t stride, int64_t n, uint64_t* to) {
  const T* elements = static_cast<const T*>(from);
  T seen = 0;
  for (int64_t i = 0; i < n; ++i) to[i] = NumberOf(elements[i * stride], shape, seen);
  return seen;
}

}  // namespace

void LoadKeys(const SortKey& key, const void* from, int64_t stride, int64_t n, uint64_t* to,
              RowFacts& facts) {
  const Shape shape = ShapeOf(key);
  uint64_t seen = 0;
  if (IsSmallFloat(key.type)) {
    LoadLanes(key.type, static_cast<const uint8_t*>(from), stride, static_cast<size_t>(n), to);
    seen = LoadKeysAs<uint64_t>(shape, to, 1, n, to);
  } else if (InfoOf(key.type).bits < 8) {
    // Only the low bits matter.
    const auto* bytes = static_cast<const uint8_t*>(from);
    for (int64_t i = 0; i < n; ++i) {
      auto bits = static_cast<uint8_t>(LoadInt(key.type, bytes + i * stride));
      uint8_t none = 0;
      to[i] = NumberOf(bits, shape, none);
    }
  } else if (KeyBits(key) == 8) {
    seen = LoadKeysAs<uint8_t>(shape, from, stride, n, to);
  } else if (KeyBits(key) == 16) {
    seen = LoadKeysAs<uint16_t>(shape, from, stride, n, to);
  } else if (KeyBits(key) == 32) {
    seen = LoadKeysAs<uint32_t>(shape, from, stride, n, to);
  } else {
    seen = LoadKeysAs<uint64_t>(shape, from, stride, n, to);
  }
  facts = FactsOf(seen);
}

void ToNumbers(const SortKey& key, const void* from, void* to, int64_t n, RowFacts& facts) {
  const Shape shape = ShapeOf(key);
  const auto as = [&]<class T>(T seen) {
    ToNumbersAs(shape, static_cast<const T*>(from), static_cast<T*>(to), n, seen);
    facts = FactsOf(seen);
  };
  switch (KeyBits(key)) {
    case 16: return as(uint16_t{});
    case 32: return as(uint32_t{});
    default: return as(uint64_t{});
  }
}

void FromNumbers(const SortKey& key, void* numbers, int64_t n) {
  const Shape shape = ShapeOf(key);
  switch (KeyBits(key)) {
    case 16: return FromNumbersAs(shape, static_cast<uint16_t*>(numbers), n);
    case 32: return FromNumbersAs(shape, static_cast<uint32_t*>(numbers), n);
    default: return FromNumbersAs(shape, static_cast<uint64_t*>(numbers), n);
  }
}

bool IsOrdered(const SortKey& key, const RowFacts& facts, bool is_last) {
  if (key.total) return true;
  if (facts.has_nan) return false;
  // Zeros of both signs are equal under `<` but not under the total order's "equal".
  const bool mixed = facts.has_negative_zero && facts.has_positive_zero;
  return is_last || !key.total_equal || key.joins_zeros || !mixed;
}

}  // namespace halo
