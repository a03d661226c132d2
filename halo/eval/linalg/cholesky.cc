// cholesky: the triangular factor of each positive definite matrix of a batch, computed in double.
// Only one triangle is read; the other is zero in the result. A matrix without a factor yields
// NaNs.
#include "halo/eval/linalg/cholesky.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "halo/eval/context/converted.h"
#include "halo/eval/context/ops.h"

namespace halo {

namespace {

double Real(double value) { return value; }
double Real(std::complex<double> value) { return value.real(); }
double Conjugate(double value) { return value; }
std::complex<double> Conjugate(std::complex<double> value) { return std::conj(value); }

template <class T>
void Factor(T* a, int64_t n, int64_t row, int64_t column) {
  bool failed = false;
  for (int64_t j = 0; j < n; ++j) {
    double root = 0;
    for (int64_t i = j; i < n; ++i) {
      T rest = a[i * row + j * column];
      for (int64_t k = 0; k < j; ++k) {
        rest -= a[i * row + k * column] * Conjugate(a[j * row + k * column]);
      }
      if (i == j) {
        root = std::sqrt(Real(rest));
        failed = failed || std::isnan(root);
        // A zero root shows up in the values that are divided by it.
        a[i * row + j * column] = n == 1 ? T(root) : rest / root;
        continue;
      }
      a[i * row + j * column] = rest / root;
    }
    for (int64_t i = 0; i < j; ++i) a[i * row + j * column] = T();
  }
  if (failed) std::fill_n(a, n * n, T(std::numeric_limits<double>::quiet_NaN()));
}

template <class T>
void FactorAll(Array& matrices, bool lower) {
  const int64_t n = matrices.dim(matrices.rank() - 1);
  T* a = matrices.Mutable<T>().data();
  for (int64_t at = 0; at < matrices.count(); at += n * n) {
    Factor(a + at, n, lower ? n : 1, lower ? 1 : n);
  }
}

}  // namespace

void CholeskyInPlace(std::complex<double>* a, int64_t n, int64_t row, int64_t column) {
  Factor(a, n, row, column);
}

Result<Value> EvalCholesky(OpContext& cx) {
  const Array& a = cx.array(0);
  const bool complex = LaneKindOf(a.type()) == LaneKind::kComplex;
  if (auto over = cx.CheckBudget(a.count() * 16)) return *std::move(over);
  Array l = Converted(cx, a, complex ? ElementType::kC128 : ElementType::kF64);
  if (l.count() > 0) {
    if (auto over = cx.Spend(l.count() * l.dim(l.rank() - 1))) return *std::move(over);
    if (complex) {
      FactorAll<std::complex<double>>(l, cx.flag(AttrKey::k_lower));
    } else {
      FactorAll<double>(l, cx.flag(AttrKey::k_lower));
    }
  }
  return Value(Converted(cx, l, cx.type()));
}

}  // namespace halo
