// Householder reflections: QR, Hessenberg and tridiagonal forms, with LAPACK's signs.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "halo/eval/linalg/matrix.h"

namespace halo {
namespace {

using Element = Matrix::Element;

double NormOf(std::span<const Element> x) {
  double sum = 0;
  for (const Element value : x) sum += std::norm(value);
  return std::sqrt(sum);
}

// Multiplies rows first.. of columns begin..end by (I - tau v v^H) from the left; v[0] = 1 belongs
// to row `first`.
void ReflectRows(Matrix& a, int64_t first, int64_t begin, int64_t end, std::span<const Element> v,
                 Element tau) {
  if (tau == 0.0) return;
  const auto length = static_cast<int64_t>(v.size());
  for (int64_t j = begin; j < end; ++j) {
    Element sum = 0;
    for (int64_t i = 0; i < length; ++i) {
      sum += std::conj(v[static_cast<size_t>(i)]) * a(first + i, j);
    }
    sum *= tau;
    for (int64_t i = 0; i < length; ++i) a(first + i, j) -= v[static_cast<size_t>(i)] * sum;
  }
}

// Multiplies the columns from `first` on, of all rows, by (I - tau v v^H) from the right.
void ReflectColumns(Matrix& a, int64_t first, std::span<const Element> v, Element tau) {
  if (tau == 0.0) return;
  const auto length = static_cast<int64_t>(v.size());
  for (int64_t i = 0; i < a.rows; ++i) {
    Element sum = 0;
    for (int64_t j = 0; j < length; ++j) sum += a(i, first + j) * v[static_cast<size_t>(j)];
    sum *= tau;
    for (int64_t j = 0; j < length; ++j) {
      a(i, first + j) -= sum * std::conj(v[static_cast<size_t>(j)]);
    }
  }
}

// Returns the vector of the reflector that is stored below (row, column).
std::vector<Element> ReflectorAt(const Matrix& a, int64_t row, int64_t column) {
  std::vector<Element> v = {1.0};
  for (int64_t i = row + 1; i < a.rows; ++i) v.push_back(a(i, column));
  return v;
}

// Eliminates column `column` below `row` and stores the reflector there.
Element ReflectBelow(Matrix& a, int64_t row, int64_t column, std::vector<Element>& v) {
  std::vector<Element> x;
  for (int64_t i = row + 1; i < a.rows; ++i) x.push_back(a(i, column));
  const Element tau = MakeReflector(a(row, column), x);
  v.assign(1, 1.0);
  v.insert(v.end(), x.begin(), x.end());
  for (size_t i = 0; i < x.size(); ++i) a(row + 1 + static_cast<int64_t>(i), column) = x[i];
  return tau;
}

void QrStep(Matrix& a, int64_t k, std::vector<Element>& taus) {
  std::vector<Element> v;
  const Element tau = ReflectBelow(a, k, k, v);
  taus.push_back(tau);
  ReflectRows(a, k, k + 1, a.columns, v, std::conj(tau));
}

}  // namespace

Element MakeReflector(Element& alpha, std::vector<Element>& x) {
  const double rest = NormOf(x);
  if (rest == 0 && alpha.imag() == 0) return 0.0;
  const double norm = std::hypot(alpha.real(), alpha.imag(), rest);
  const double beta = alpha.real() >= 0 ? -norm : norm;
  const Element tau = {(beta - alpha.real()) / beta, -alpha.imag() / beta};
  for (Element& value : x) value /= alpha - beta;
  alpha = beta;
  return tau;
}

void FactorQr(Matrix& a, std::vector<Element>& taus) {
  taus.clear();
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) QrStep(a, k, taus);
}

void FactorQrPivoted(Matrix& a, std::vector<int64_t>& order, std::vector<Element>& taus) {
  taus.clear();
  order.resize(static_cast<size_t>(a.columns));
  for (int64_t j = 0; j < a.columns; ++j) order[static_cast<size_t>(j)] = j + 1;
  const auto remaining = [&](int64_t k, int64_t j) {
    double sum = 0;
    for (int64_t i = k; i < a.rows; ++i) sum += std::norm(a(i, j));
    return sum;
  };
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    int64_t best = k;
    double most = remaining(k, k);
    for (int64_t j = k + 1; j < a.columns; ++j) {
      const double size = remaining(k, j);
      if (size > most) {
        most = size;
        best = j;
      }
    }
    if (best != k) {
      for (int64_t i = 0; i < a.rows; ++i) std::swap(a(i, k), a(i, best));
      std::swap(order[static_cast<size_t>(k)], order[static_cast<size_t>(best)]);
    }
    QrStep(a, k, taus);
  }
}

void FormQ(Matrix& a, const std::vector<Element>& taus) {
  Matrix q(a.rows, a.columns);
  for (int64_t i = 0; i < std::min(a.rows, a.columns); ++i) q(i, i) = 1.0;
  const int64_t count = std::min({static_cast<int64_t>(taus.size()), a.rows, a.columns});
  for (int64_t k = count - 1; k >= 0; --k) {
    ReflectRows(q, k, k, q.columns, ReflectorAt(a, k, k), taus[static_cast<size_t>(k)]);
  }
  a = std::move(q);
}

void ApplyQ(const Matrix& reflectors, const std::vector<Element>& taus, bool left, bool adjoint,
            Matrix& c) {
  const int64_t count =
      std::min({static_cast<int64_t>(taus.size()), reflectors.rows, reflectors.columns});
  const bool first_to_last = left == adjoint;
  for (int64_t step = 0; step < count; ++step) {
    const int64_t k = first_to_last ? step : count - 1 - step;
    Element tau = taus[static_cast<size_t>(k)];
    if (adjoint) tau = std::conj(tau);
    const std::vector<Element> v = ReflectorAt(reflectors, k, k);
    if (left) {
      ReflectRows(c, k, 0, c.columns, v, tau);
    } else {
      ReflectColumns(c, k, v, tau);
    }
  }
}

void ReduceToHessenberg(Matrix& a, std::vector<Element>& taus) {
  taus.clear();
  for (int64_t k = 0; k + 1 < a.rows; ++k) {
    std::vector<Element> v;
    const Element tau = ReflectBelow(a, k + 1, k, v);
    taus.push_back(tau);
    ReflectColumns(a, k + 1, v, tau);
    ReflectRows(a, k + 1, k + 1, a.columns, v, std::conj(tau));
  }
}

void ReduceToTridiagonal(Matrix& a, bool lower, std::vector<double>& diagonal,
                         std::vector<double>& beside, std::vector<Element>& taus) {
  const int64_t n = a.rows;
  diagonal.assign(static_cast<size_t>(n), 0.0);
  beside.assign(static_cast<size_t>(std::max<int64_t>(0, n - 1)), 0.0);
  taus.assign(beside.size(), 0.0);
  // The full matrix, with reversed indices for the upper triangle: LAPACK starts from the other
  // end.
  Matrix full(n, n);
  const auto flip = [&](int64_t i) { return lower ? i : n - 1 - i; };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const Element value = a(flip(i), flip(j));
      full(i, j) = i == j ? Element(value.real()) : value;
      full(j, i) = std::conj(full(i, j));
    }
  }
  for (int64_t k = 0; k + 1 < n; ++k) {
    std::vector<Element> x;
    for (int64_t i = k + 2; i < n; ++i) x.push_back(full(i, k));
    Element alpha = full(k + 1, k);
    // LAPACK also orders the vector of the upper form from the diagonal outwards.
    const Element tau = MakeReflector(alpha, x);
    std::vector<Element> v = {1.0};
    v.insert(v.end(), x.begin(), x.end());
    ReflectRows(full, k + 1, k, n, v, std::conj(tau));
    ReflectColumns(full, k + 1, v, tau);
    const auto at = static_cast<size_t>(lower ? k : n - 2 - k);
    beside[at] = alpha.real();
    taus[at] = tau;
    for (size_t i = 0; i < x.size(); ++i) {
      a(flip(k + 2 + static_cast<int64_t>(i)), flip(k)) = x[i];
    }
    a(flip(k + 1), flip(k)) = alpha;
  }
  for (int64_t i = 0; i < n; ++i) {
    diagonal[static_cast<size_t>(flip(i))] = full(i, i).real();
    a(flip(i), flip(i)) = full(i, i).real();
  }
}

}  // namespace halo
