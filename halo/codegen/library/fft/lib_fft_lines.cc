// Stockham's algorithm: each stage handles one factor of the length, reads one buffer, writes the
// other, and leaves everything in order.
#include "halo/codegen/library/fft/lib_fft_lines.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "halo/runtime/cpu_level.h"

// Cells are passed by value only to functions that are inlined into their callers.
#pragma clang diagnostic ignored "-Wpsabi"

namespace halo {
namespace {

constexpr int64_t kMaxRadix = 31;

// A vector of each part of a cell.
template <class V>
struct Complex {
  V re, im;
};

template <class T>
using Cell = Complex<typename FftLanes<T>::Vector>;

template <class V, class T>
HALO_INLINE Complex<V> Times(const Complex<V>& a, const FftPart<T>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class V>
HALO_INLINE Complex<V> Plus(const Complex<V>& a, const Complex<V>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
HALO_INLINE Complex<V> Minus(const Complex<V>& a, const Complex<V>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V>
HALO_INLINE Complex<V> TimesMinusI(const Complex<V>& a) {
  return {a.im, -a.re};
}
template <class V, class T>
HALO_INLINE Complex<V> Scaled(const Complex<V>& a, T factor) {
  return {a.re * factor, a.im * factor};
}

template <int64_t kRadix, class T, class V>
HALO_INLINE void SmallTransform(Complex<V>* a) {
  if constexpr (kRadix == 2) {
    const Complex<V> sum = Plus(a[0], a[1]);
    a[1] = Minus(a[0], a[1]);
    a[0] = sum;
  } else if constexpr (kRadix == 3) {
    const Complex<V> sum = Plus(a[1], a[2]);
    const Complex<V> turned =
        TimesMinusI(Scaled(Minus(a[1], a[2]), static_cast<T>(std::numbers::sqrt3 / 2)));
    const Complex<V> middle = Plus(a[0], Scaled(sum, static_cast<T>(-0.5)));
    a[0] = Plus(a[0], sum);
    a[1] = Plus(middle, turned);
    a[2] = Minus(middle, turned);
  } else if constexpr (kRadix == 4) {
    const Complex<V> s0 = Plus(a[0], a[2]);
    const Complex<V> d0 = Minus(a[0], a[2]);
    const Complex<V> s1 = Plus(a[1], a[3]);
    const Complex<V> d1 = TimesMinusI(Minus(a[1], a[3]));
    a[0] = Plus(s0, s1);
    a[1] = Plus(d0, d1);
    a[2] = Minus(s0, s1);
    a[3] = Minus(d0, d1);
  } else {
    static_assert(kRadix == 5);
    constexpr auto kCos1 = static_cast<T>(0.30901699437494742410);
    constexpr auto kCos2 = static_cast<T>(-0.80901699437494742410);
    constexpr auto kSin1 = static_cast<T>(0.95105651629515357212);
    constexpr auto kSin2 = static_cast<T>(0.58778525229247312917);
    const Complex<V> s1 = Plus(a[1], a[4]);
    const Complex<V> d1 = Minus(a[1], a[4]);
    const Complex<V> s2 = Plus(a[2], a[3]);
    const Complex<V> d2 = Minus(a[2], a[3]);
    const Complex<V> m1 = Plus(a[0], Plus(Scaled(s1, kCos1), Scaled(s2, kCos2)));
    const Complex<V> m2 = Plus(a[0], Plus(Scaled(s1, kCos2), Scaled(s2, kCos1)));
    const Complex<V> t1 = TimesMinusI(Plus(Scaled(d1, kSin1), Scaled(d2, kSin2)));
    const Complex<V> t2 = TimesMinusI(Minus(Scaled(d1, kSin2), Scaled(d2, kSin1)));
    a[0] = Plus(a[0], Plus(s1, s2));
    a[1] = Plus(m1, t1);
    a[2] = Plus(m2, t2);
    a[3] = Minus(m2, t2);
    a[4] = Minus(m1, t1);
  }
}

// One stage in vectors of a level. Where a part of a cell is several vectors, a lower level has too
// few registers for whole cells.
template <int64_t kRadix, CpuLevel kLevel, class T>
HALO_INLINE void RunStage(int64_t groups, int64_t step, const FftPart<T>* twiddles,
                          const FftCell<T>* x, FftCell<T>* y) {
  using Vectors = LevelVectors<T, kLevel>;
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  for (int64_t p = 0; p < groups; ++p) {
    for (int64_t q = 0; q < step; ++q) {
      for (int64_t l = 0; l < kLanes; l += Vectors::kCount) {
        Complex<typename Vectors::Vector> a[kRadix];
        for (int64_t k = 0; k < kRadix; ++k) {
          const T* from = FftParts(x + q + step * (p + groups * k)) + l;
          a[k] = {Vectors::Load(from), Vectors::Load(from + kLanes)};
        }
        SmallTransform<kRadix, T>(a);
        for (int64_t j = 0; j < kRadix; ++j) {
          if (j > 0 && p > 0) a[j] = Times(a[j], twiddles[p * (kRadix - 1) + j - 1]);
          T* to = FftParts(y + q + step * (kRadix * p + j)) + l;
          Vectors::Store(a[j].re, to);
          Vectors::Store(a[j].im, to + kLanes);
        }
      }
    }
  }
}

// Any radix, by the definition of the DFT.
template <class T>
HALO_INLINE void RunStage(int64_t radix, int64_t groups, int64_t step, const FftPart<T>* twiddles,
                          const FftPart<T>* roots, const FftCell<T>* x, FftCell<T>* y) {
  for (int64_t p = 0; p < groups; ++p) {
    for (int64_t q = 0; q < step; ++q) {
      Cell<T> a[kMaxRadix];
      for (int64_t k = 0; k < radix; ++k) {
        const FftCell<T>& cell = x[q + step * (p + groups * k)];
        a[k] = {cell.re, cell.im};
      }
      for (int64_t j = 0; j < radix; ++j) {
        Cell<T> sum = a[0];
        for (int64_t k = 1; k < radix; ++k) sum = Plus(sum, Times(a[k], roots[j * k % radix]));
        if (j > 0 && p > 0) sum = Times(sum, twiddles[p * (radix - 1) + j - 1]);
        y[q + step * (radix * p + j)] = {sum.re, sum.im};
      }
    }
  }
}

template <CpuLevel kLevel, class T>
HALO_INLINE void AnyStage(int64_t radix, int64_t groups, int64_t step, const FftPart<T>* twiddles,
                          const FftPart<T>* roots, const FftCell<T>* x, FftCell<T>* y) {
  switch (radix) {
    case 2: return RunStage<2, kLevel>(groups, step, twiddles, x, y);
    case 3: return RunStage<3, kLevel>(groups, step, twiddles, x, y);
    case 4: return RunStage<4, kLevel>(groups, step, twiddles, x, y);
    case 5: return RunStage<5, kLevel>(groups, step, twiddles, x, y);
    default: return RunStage(radix, groups, step, twiddles, roots, x, y);
  }
}
template <class T>
void StageOf(int64_t radix, int64_t groups, int64_t step, const FftPart<T>* twiddles,
             const FftPart<T>* roots, const FftCell<T>* x, FftCell<T>* y) {
  ForCpu([=](auto level) HALO_INLINED {
    AnyStage<decltype(level)::value>(radix, groups, step, twiddles, roots, x, y);
  });
}

// to[k] = from[k] * by[k], optionally swapping the parts of `from` first and those of `to` last: an
// inverse transform is a forward one with swapped parts.
template <class T>
void MultiplyCells(const FftCell<T>* from, const FftPart<T>* by, int64_t n, bool exchanges_first,
                   bool exchanges_last, FftCell<T>* to) {
  for (int64_t k = 0; k < n; ++k) {
    Cell<T> cell = {from[k].re, from[k].im};
    if (exchanges_first) std::swap(cell.re, cell.im);
    cell = Times(cell, by[k]);
    if (exchanges_last) std::swap(cell.re, cell.im);
    to[k] = {cell.re, cell.im};
  }
}

}  // namespace

template <class T>
FftPart<T> FftRoot(int64_t k, int64_t n) {
  // Computed from the nearest eighth of the circle, so that simple angles are exact.
  k %= n;
  const int64_t eighth = (8 * k + n / 2) / n;
  const double rest = static_cast<double>(8 * k - eighth * n) / static_cast<double>(n);
  const double angle = rest * (std::numbers::pi / 4);
  constexpr double kHalf = std::numbers::sqrt2 / 2;
  constexpr double kCos[8] = {1, kHalf, 0, -kHalf, -1, -kHalf, 0, kHalf};
  constexpr double kSin[8] = {0, kHalf, 1, kHalf, 0, -kHalf, -1, -kHalf};
  const double c = kCos[eighth % 8];
  const double s = kSin[eighth % 8];
  const double re = c * std::cos(angle) - s * std::sin(angle);
  const double im = s * std::cos(angle) + c * std::sin(angle);
  return {static_cast<T>(re), static_cast<T>(-im)};
}

template <class T>
FftLines<T>::FftLines(int64_t n) : n_(n) {
  int64_t rest = n;
  int64_t step = 1;
  const auto add = [&](int64_t radix) {
    Stage stage = {radix, rest / radix, step, {}, {}};
    for (int64_t p = 0; p < stage.groups; ++p) {
      for (int64_t j = 1; j < radix; ++j) stage.twiddles.push_back(FftRoot<T>(p * j, rest));
    }
    for (int64_t k = 0; radix > 5 && k < radix; ++k) stage.roots.push_back(FftRoot<T>(k, radix));
    stages_.push_back(std::move(stage));
    rest /= radix;
    step *= radix;
  };
  for (const int64_t radix : {4, 2, 3, 5}) {
    while (rest % radix == 0) add(radix);
  }
  for (int64_t radix = 7; radix <= kMaxRadix; radix += 2) {
    while (rest % radix == 0) add(radix);
  }
  if (rest == 1) return;
  stages_.clear();
  int64_t padded = 1;
  while (padded < 2 * n - 1) padded *= 2;
  inner_ = std::make_unique<FftLines>(padded);
  std::vector<FftCell<T>> x(static_cast<size_t>(padded));
  std::vector<FftCell<T>> y(static_cast<size_t>(padded));
  // k * k modulo 2n, to keep it small.
  int64_t square = 0;
  for (int64_t k = 0; k < n; ++k) {
    const auto root = FftRoot<T>(square, 2 * n);
    chirp_.push_back(root);
    const auto at = static_cast<size_t>(k);
    const FftCell<T> cell = {T{0} + typename FftLanes<T>::Vector{} + root.re,
                             typename FftLanes<T>::Vector{} - root.im};
    x[at] = cell;
    if (k > 0) x[static_cast<size_t>(padded - k)] = cell;
    square = (square + 2 * k + 1) % (2 * n);
  }
  const FftCell<T>* kernel = inner_->Run(x.data(), y.data());
  const T scale = T{1} / static_cast<T>(padded);
  for (int64_t k = 0; k < padded; ++k) {
    kernel_.push_back({kernel[k].re[0] * scale, kernel[k].im[0] * scale});
  }
}

template <class T>
FftCell<T>* FftLines<T>::Run(FftCell<T>* x, FftCell<T>* y) const {
  if (inner_ != nullptr) {
    MultiplyCells(x, chirp_.data(), n_, false, false, x);
    for (int64_t k = n_; k < inner_->n_; ++k) x[k] = {};
    FftCell<T>* spectrum = inner_->Run(x, y);
    FftCell<T>* other = spectrum == x ? y : x;
    MultiplyCells(spectrum, kernel_.data(), inner_->n_, false, true, spectrum);
    FftCell<T>* out = inner_->Run(spectrum, other);
    MultiplyCells(out, chirp_.data(), n_, true, false, out);
    return out;
  }
  for (const Stage& stage : stages_) {
    StageOf(stage.radix, stage.groups, stage.step, stage.twiddles.data(), stage.roots.data(), x, y);
    std::swap(x, y);
  }
  return x;
}

template FftPart<float> FftRoot(int64_t, int64_t);
template FftPart<double> FftRoot(int64_t, int64_t);
template class FftLines<float>;
template class FftLines<double>;

}  // namespace halo
