// Skips elements whose bytes are equal and compares the others as numbers.
#include "halo/eval/inputs/compare_values.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "halo/eval/inputs/summary.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

constexpr int64_t kFarApart = INT64_MAX;

uint64_t BitsAt(const uint8_t* at, size_t width) {
  uint64_t bits = 0;
  for (size_t i = width; i-- > 0;) bits = bits << 8 | at[i];
  return bits;
}

// Returns the position of a number in the ordered sequence of all numbers of its type.
int64_t Ordered(ElementType type, uint64_t bits, size_t width) {
  if (type == ElementType::kF8E8M0FNU) return static_cast<int64_t>(bits);  // unsigned
  const int sign = std::min(InfoOf(type).bits, static_cast<int>(width * 8)) - 1;
  const uint64_t magnitude = bits & ((uint64_t{1} << sign) - 1);
  return (bits >> sign & 1) != 0 ? -static_cast<int64_t>(magnitude)
                                 : static_cast<int64_t>(magnitude);
}

int64_t Apart(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference) || difference == INT64_MIN) return kFarApart;
  return std::abs(difference);
}

int64_t FloatUlp(ElementType type, const uint8_t* got, const uint8_t* expected) {
  const size_t width = StoredBytes(type);
  return Apart(Ordered(type, BitsAt(got, width), width),
               Ordered(type, BitsAt(expected, width), width));
}

// Returns the number of significand bits of a float type, including the hidden bit.
int PrecisionOf(ElementType type) {
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128: return 53;
    case ElementType::kF32:
    case ElementType::kC64: return 24;
    case ElementType::kF16: return 11;
    case ElementType::kBF16: return 8;
    default: return 0;
  }
}

// Returns the distance between adjacent numbers at a magnitude; 0 for types that are too narrow to
// need it.
double StepAt(ElementType type, double magnitude) {
  const int precision = PrecisionOf(type);
  if (precision == 0 || magnitude == 0) return 0;
  return std::ldexp(1.0, std::ilogb(magnitude) - (precision - 1));
}

class Comparer {
 public:
  Comparer(const Array& got, const Array& expected, const Tolerance& tolerance)
      : got_(got),
        expected_(expected),
        tolerance_(tolerance),
        type_(got.type()),
        klass_(InfoOf(type_).klass),
        width_(got.element_bytes()) {}

  ArrayComparison Run(size_t keep);

 private:
  struct Ranked {
    bool beyond = false;
    int64_t ulp = 0;
    double absolute = 0;
    int64_t at = 0;
    friend bool operator<(const Ranked& a, const Ranked& b) {
      if (a.beyond != b.beyond) return a.beyond;
      if (a.ulp != b.ulp) return a.ulp > b.ulp;
      if (a.absolute != b.absolute) return a.absolute > b.absolute;
      return a.at < b.at;
    }
  };

  [[nodiscard]] const uint8_t* At(const Array& array, int64_t at) const {
    return array.bytes() + static_cast<size_t>(at) * width_;
  }
  [[nodiscard]] ElementDifference Measure(int64_t at) const;
  [[nodiscard]] bool Same(const ElementDifference& element) const;
  [[nodiscard]] double LargestExpected() const;
  void Note(const Ranked& element, size_t keep);
  [[nodiscard]] Dims IndexOf(int64_t at) const;

  const Array& got_;
  const Array& expected_;
  const Tolerance tolerance_;
  const ElementType type_;
  const ElementClass klass_;
  const size_t width_;
  std::vector<Ranked> worst_;  // a heap, the least severe on top
};

ElementDifference Comparer::Measure(int64_t at) const {
  ElementDifference element;
  const uint8_t* got = At(got_, at);
  const uint8_t* expected = At(expected_, at);
  double magnitude = 0;
  if (klass_ == ElementClass::kComplex) {
    const std::complex<double> a = LoadComplex(type_, got);
    const std::complex<double> b = LoadComplex(type_, expected);
    element.got = a.real(), element.got_imag = a.imag();
    element.expected = b.real(), element.expected_imag = b.imag();
    element.absolute = std::abs(a - b);
    magnitude = std::abs(b);
    const ElementType part = type_ == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
    element.ulp = std::max(FloatUlp(part, got, expected),
                           FloatUlp(part, got + width_ / 2, expected + width_ / 2));
  } else if (klass_ == ElementClass::kFloat) {
    element.got = LoadFloat(type_, got);
    element.expected = LoadFloat(type_, expected);
    element.absolute = std::abs(element.got - element.expected);
    magnitude = std::abs(element.expected);
    element.ulp = FloatUlp(type_, got, expected);
  } else {
    const int64_t a = LoadInt(type_, got);
    const int64_t b = LoadInt(type_, expected);
    const bool is_unsigned = klass_ == ElementClass::kUnsigned;
    const auto number = [is_unsigned](int64_t value) {
      return is_unsigned ? static_cast<double>(static_cast<uint64_t>(value))
                         : static_cast<double>(value);
    };
    element.got = number(a);
    element.expected = number(b);
    element.ulp = Apart(a, b);
    // Numbers beyond 2^53 can be adjacent and still equal as doubles.
    element.absolute =
        std::max(std::abs(element.got - element.expected), element.ulp != 0 ? 1.0 : 0.0);
    magnitude = std::abs(element.expected);
  }
  element.relative = magnitude > 0 ? element.absolute / magnitude : INFINITY;
  return element;
}

bool Comparer::Same(const ElementDifference& element) const {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  if (klass_ == ElementClass::kFloat) return same(element.got, element.expected);
  if (klass_ != ElementClass::kComplex) return element.ulp == 0;
  return same(element.got, element.expected) && same(element.got_imag, element.expected_imag);
}

void Comparer::Note(const Ranked& element, size_t keep) {
  if (worst_.size() == keep) {
    if (keep == 0 || !(element < worst_.front())) return;
    std::pop_heap(worst_.begin(), worst_.end());
    worst_.pop_back();
  }
  worst_.push_back(element);
  std::push_heap(worst_.begin(), worst_.end());
}

Dims Comparer::IndexOf(int64_t at) const {
  Dims index(got_.rank());
  for (size_t d = got_.rank(); d-- > 0;) {
    index[d] = at % got_.dim(d);
    at /= got_.dim(d);
  }
  return index;
}

double Comparer::LargestExpected() const {
  const ArraySummary summary = Summarize(expected_);
  return std::max(std::abs(summary.min), std::abs(summary.max));
}

ArrayComparison Comparer::Run(size_t keep) {
  ArrayComparison result;
  result.count = got_.count();
  result.largest_expected = LargestExpected();
  const double margin =
      tolerance_.atol + tolerance_.largest_ulp * StepAt(type_, result.largest_expected);
  for (int64_t at = 0; at < got_.count(); ++at) {
    if (std::memcmp(At(got_, at), At(expected_, at), width_) == 0) continue;
    ElementDifference element = Measure(at);
    if (Same(element)) continue;
    ++result.different;
    const double magnitude = std::hypot(element.expected, element.expected_imag);
    const bool finite = std::isfinite(element.absolute);
    const bool allowed = finite && (element.absolute <= margin + tolerance_.rtol * magnitude ||
                                    element.ulp <= tolerance_.ulp);
    if (!finite) element.ulp = kFarApart;
    if (!allowed) ++result.beyond;
    result.max_absolute = std::max(result.max_absolute, finite ? element.absolute : INFINITY);
    result.max_relative = std::max(result.max_relative, finite ? element.relative : INFINITY);
    result.max_ulp = std::max(result.max_ulp, element.ulp);
    Note({!allowed, element.ulp, finite ? element.absolute : INFINITY, at}, keep);
  }
  std::sort(worst_.begin(), worst_.end());
  for (const Ranked& each : worst_) {
    ElementDifference element = Measure(each.at);
    element.index = IndexOf(each.at);
    element.ulp = each.ulp;
    result.worst.push_back(std::move(element));
  }
  return result;
}

}  // namespace

Tolerance DefaultTolerance(ElementType type, int64_t summed) {
  // Rounding errors of a sum are independent enough for the total error to grow with the square
  // root of its length. Longer sums are computed in blocks, both by XLA and by us, and do no worse.
  const double length = std::sqrt(static_cast<double>(std::clamp<int64_t>(summed, 1, 1024)));
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128: return {1e-13, 0, 4, 4 * length};
    case ElementType::kF32:
    case ElementType::kC64: return {1e-5, 0, 4, 4 * length};
    case ElementType::kF16:
    case ElementType::kBF16: return {0, 0, 2, 1};
    default: return {0, 0, InfoOf(type).klass == ElementClass::kFloat ? 1 : 0, 0};
  }
}

ArrayComparison CompareArrays(const Array& got, const Array& expected, const Tolerance& tolerance,
                              size_t keep_worst) {
  if (got.type() != expected.type() || !std::ranges::equal(got.dims(), expected.dims())) {
    ArrayComparison result;
    result.comparable = false;
    return result;
  }
  return Comparer(got, expected, tolerance).Run(keep_worst);
}

bool SameBits(const Array& a, const Array& b) {
  return std::ranges::equal(a.dims(), b.dims()) && a.byte_count() == b.byte_count() &&
         std::memcmp(a.bytes(), b.bytes(), a.byte_count()) == 0;
}

}  // namespace halo
