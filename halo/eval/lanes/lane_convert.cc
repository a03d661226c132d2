// Conversions between lanes of all kinds.
#include "halo/eval/lanes/lane_convert.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

using Complex = std::complex<double>;

// Return the least value of an integer type and one past its greatest, both exact as doubles.
double LowestOf(ElementType type) {
  const ElementTypeInfo& info = InfoOf(type);
  return info.klass == ElementClass::kSigned ? -std::ldexp(1.0, info.bits - 1) : 0.0;
}
double BeyondOf(ElementType type) {
  const ElementTypeInfo& info = InfoOf(type);
  return std::ldexp(1.0, info.klass == ElementClass::kSigned ? info.bits - 1 : info.bits);
}

template <class Lane>
void FloatsToIntegers(ElementType to, const double* in, Lane* out, size_t n) {
  const double lowest = LowestOf(to);
  const double beyond = BeyondOf(to);
  const Lane least = static_cast<Lane>(lowest);
  const Lane greatest = static_cast<Lane>(InfoOf(to).bits == 64 ? std::numeric_limits<Lane>::max()
                                                                : static_cast<Lane>(beyond - 1));
  for (size_t i = 0; i < n; ++i) {
    const double x = in[i];
    if (std::isnan(x)) {
      out[i] = 0;
    } else if (x >= beyond) {
      out[i] = greatest;
    } else if (x <= lowest) {
      out[i] = least;
    } else {
      out[i] = static_cast<Lane>(x);
    }
  }
}

// A 64-bit integer has more digits than a double, so converting through double would round twice.
template <class Lane>
void IntegersToFloats(ElementType to, const Lane* in, double* out, size_t n) {
  if (to == ElementType::kF64) {
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<double>(in[i]);
    return;
  }
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<double>(static_cast<float>(in[i]));
}

template <class Lane>
void FromIntegers(ElementType to, const Lane* in, void* out, size_t n) {
  if (to == ElementType::kPred) {
    for (size_t i = 0; i < n; ++i) static_cast<uint64_t*>(out)[i] = in[i] != 0 ? 1 : 0;
    return;
  }
  switch (LaneKindOf(to)) {
    case LaneKind::kInt:
    case LaneKind::kUint:
      for (size_t i = 0; i < n; ++i) static_cast<uint64_t*>(out)[i] = static_cast<uint64_t>(in[i]);
      return;
    case LaneKind::kFloat: return IntegersToFloats(to, in, static_cast<double*>(out), n);
    case LaneKind::kComplex:
      for (size_t i = 0; i < n; ++i) {
        double real = 0;
        IntegersToFloats(to == ElementType::kC128 ? ElementType::kF64 : ElementType::kF32, in + i,
                         &real, 1);
        static_cast<Complex*>(out)[i] = real;
      }
      return;
  }
}

void FromFloats(ElementType to, const double* in, void* out, size_t n) {
  if (to == ElementType::kPred) {
    for (size_t i = 0; i < n; ++i) static_cast<uint64_t*>(out)[i] = in[i] != 0 ? 1 : 0;
    return;
  }
  switch (LaneKindOf(to)) {
    case LaneKind::kInt: return FloatsToIntegers(to, in, static_cast<int64_t*>(out), n);
    case LaneKind::kUint: return FloatsToIntegers(to, in, static_cast<uint64_t*>(out), n);
    case LaneKind::kFloat: std::copy_n(in, n, static_cast<double*>(out)); return;
    case LaneKind::kComplex:
      for (size_t i = n; i-- > 0;) static_cast<Complex*>(out)[i] = in[i];
      return;
  }
}

void FromComplex(ElementType to, const Complex* in, void* out, size_t n) {
  if (LaneKindOf(to) == LaneKind::kComplex) {
    std::copy_n(in, n, static_cast<Complex*>(out));
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    const double real = in[i].real();
    FromFloats(to, &real, static_cast<unsigned char*>(out) + i * LaneSize(LaneKindOf(to)), 1);
  }
}

}  // namespace

void ConvertLanes(ElementType from, ElementType to, const void* in, void* out, size_t n) {
  switch (LaneKindOf(from)) {
    case LaneKind::kInt: return FromIntegers(to, static_cast<const int64_t*>(in), out, n);
    case LaneKind::kUint: return FromIntegers(to, static_cast<const uint64_t*>(in), out, n);
    case LaneKind::kFloat: return FromFloats(to, static_cast<const double*>(in), out, n);
    case LaneKind::kComplex: return FromComplex(to, static_cast<const Complex*>(in), out, n);
  }
}

}  // namespace halo
