// Complex elements are two real ones. The range of floats is widened: a few runs only sample it,
// and a program that rounds in another order has more to move than its inputs.
#include "halo/api/numbers/noise_bounds.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

// How often the width of the range may be added on either side, that of the element itself and the
// root mean square over all elements of the value.
constexpr double kOwnWidths = 4;
constexpr double kUsualWidths = 4;

// The real numbers that an array consists of.
struct Parts {
  explicit Parts(const Array& array) {
    const ElementClass klass = InfoOf(array.type()).klass;
    const bool is_complex = klass == ElementClass::kComplex;
    type = !is_complex                         ? array.type()
           : array.type() == ElementType::kC64 ? ElementType::kF32
                                               : ElementType::kF64;
    is_float = is_complex || klass == ElementClass::kFloat;
    width = StoredBytes(type);
    count = array.count() * (is_complex ? 2 : 1);
  }
  [[nodiscard]] double Load(const uint8_t* from) const {
    return is_float ? LoadFloat(type, from) : static_cast<double>(LoadInt(type, from));
  }
  [[nodiscard]] bool Less(const uint8_t* a, const uint8_t* b) const {
    if (is_float) return LoadFloat(type, a) < LoadFloat(type, b);
    if (InfoOf(type).klass == ElementClass::kSigned) return LoadInt(type, a) < LoadInt(type, b);
    return static_cast<uint64_t>(LoadInt(type, a)) < static_cast<uint64_t>(LoadInt(type, b));
  }

  ElementType type = ElementType::kPred;
  bool is_float = false;
  size_t width = 1;
  int64_t count = 0;
};

bool SameShape(const Array& a, const Array& b) {
  return a.type() == b.type() && std::ranges::equal(a.dims(), b.dims());
}

}  // namespace

void NoiseBounds::Widen(const Array& run) {
  if (!SameShape(run, value_) || SameBits(run, value_)) return;
  const Parts parts(run);
  uint8_t* low = low_.MutableBytes();
  uint8_t* high = high_.MutableBytes();
  const uint8_t* from = run.bytes();
  for (int64_t i = 0; i < parts.count; ++i, low += parts.width, high += parts.width) {
    if (parts.Less(from, low)) std::memcpy(low, from, parts.width);
    if (parts.Less(high, from)) std::memcpy(high, from, parts.width);
    from += parts.width;
  }
}

Array NoiseBounds::Nearest(const Array& got) const {
  const Parts parts(got);
  double squares = 0;
  if (parts.is_float) {
    for (int64_t i = 0; i < parts.count; ++i) {
      const size_t at = static_cast<size_t>(i) * parts.width;
      const double range = parts.Load(high_.bytes() + at) - parts.Load(low_.bytes() + at);
      if (std::isfinite(range)) squares += range * range;
    }
  }
  const double usual =
      kUsualWidths * std::sqrt(squares / static_cast<double>(std::max<int64_t>(1, parts.count)));
  Array nearest = value_;
  uint8_t* to = nearest.MutableBytes();
  for (int64_t i = 0; i < parts.count; ++i) {
    const size_t at = static_cast<size_t>(i) * parts.width;
    const uint8_t* low = low_.bytes() + at;
    const uint8_t* high = high_.bytes() + at;
    const uint8_t* found = got.bytes() + at;
    if (!parts.is_float) {
      const uint8_t* chosen = parts.Less(found, low) ? low : parts.Less(high, found) ? high : found;
      std::memcpy(to + at, chosen, parts.width);
      continue;
    }
    const double value = parts.Load(found);
    const double range = parts.Load(high) - parts.Load(low);
    if (!std::isfinite(value) || !std::isfinite(range)) {
      // An infinity or NaN is explained only by a run that has one.
      const bool is_end =
          std::memcmp(found, low, parts.width) == 0 || std::memcmp(found, high, parts.width) == 0;
      if (is_end) std::memcpy(to + at, found, parts.width);
      continue;
    }
    const double margin = kOwnWidths * range + usual;
    const double clamped = std::clamp(value, parts.Load(low) - margin, parts.Load(high) + margin);
    if (clamped == value) {
      std::memcpy(to + at, found, parts.width);
    } else {
      StoreFloat(parts.type, clamped, to + at);
    }
  }
  return nearest;
}

ArrayComparison NoiseBounds::Compare(const Array& got, const Tolerance& tolerance) const {
  ArrayComparison plain = CompareArrays(got, value_, tolerance, 1);
  if (!plain.comparable || plain.beyond == 0) return plain;
  const ArrayComparison explained = CompareArrays(got, Nearest(got), tolerance, 1);
  plain.beyond = explained.beyond;
  if (explained.beyond == 0 || explained.worst.empty()) return plain;
  // The element that is explained least, with the value it should have.
  ElementDifference worst = explained.worst.front();
  int64_t at = 0;
  for (size_t d = 0; d < worst.index.size(); ++d) at = at * got.dim(d) + worst.index[d];
  const uint8_t* expected = value_.bytes() + static_cast<size_t>(at) * value_.element_bytes();
  switch (InfoOf(value_.type()).klass) {
    case ElementClass::kComplex: {
      const std::complex<double> number = LoadComplex(value_.type(), expected);
      worst.expected = number.real();
      worst.expected_imag = number.imag();
      break;
    }
    case ElementClass::kFloat: worst.expected = LoadFloat(value_.type(), expected); break;
    default: worst.expected = static_cast<double>(LoadInt(value_.type(), expected));
  }
  worst.absolute = std::hypot(worst.got - worst.expected, worst.got_imag - worst.expected_imag);
  const double size = std::hypot(worst.expected, worst.expected_imag);
  worst.relative = size != 0 ? worst.absolute / size : HUGE_VAL;
  plain.worst = {worst};
  return plain;
}

}  // namespace halo
