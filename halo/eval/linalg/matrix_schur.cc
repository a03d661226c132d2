// The complex Schur form by the shifted QR algorithm, and eigenvectors from it by substitution.
#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/eval/linalg/matrix.h"

namespace halo {
namespace {

using Element = Matrix::Element;

constexpr double kSchurEpsilon = std::numeric_limits<double>::epsilon();

double Size(Element value) { return std::abs(value.real()) + std::abs(value.imag()); }

// Returns the eigenvalue, of the 2x2 block that ends at `end`, that is closer to its last element.
Element WilkinsonShift(const Matrix& t, int64_t end) {
  const Element a = t(end - 1, end - 1);
  const Element b = t(end - 1, end);
  const Element c = t(end, end - 1);
  const Element d = t(end, end);
  const Element half = (a - d) / 2.0;
  const Element root = std::sqrt(half * half + b * c);
  const Element first = d + half + root;
  const Element second = d + half - root;
  return std::abs(first - d) < std::abs(second - d) ? first : second;
}

// Rotates rows i, i+1 (and columns likewise) so that (x, y) becomes (r, 0).
struct Givens {
  double c = 1;
  Element s = 0;
};

Givens GivensFor(Element x, Element y) {
  Givens out;
  const double norm = std::hypot(std::abs(x), std::abs(y));
  if (norm == 0 || y == 0.0) return out;
  const double size = std::abs(x);
  out.c = size / norm;
  const Element phase = size == 0 ? Element(1.0) : x / size;
  out.s = phase * std::conj(y) / norm;
  return out;
}

void RotateRows(Matrix& m, int64_t i, int64_t from, const Givens& g) {
  for (int64_t j = from; j < m.columns; ++j) {
    const Element x = m(i, j);
    const Element y = m(i + 1, j);
    m(i, j) = g.c * x + g.s * y;
    m(i + 1, j) = g.c * y - std::conj(g.s) * x;
  }
}

void RotateColumns(Matrix& m, int64_t i, int64_t to, const Givens& g) {
  for (int64_t k = 0; k < to; ++k) {
    const Element x = m(k, i);
    const Element y = m(k, i + 1);
    m(k, i) = g.c * x + std::conj(g.s) * y;
    m(k, i + 1) = g.c * y - g.s * x;
  }
}

// Performs one QR step on rows and columns begin..end.
void ShiftedQrStep(Matrix& t, Matrix& z, int64_t begin, int64_t end, Element shift) {
  Element x = t(begin, begin) - shift;
  Element y = t(begin + 1, begin);
  for (int64_t i = begin; i < end; ++i) {
    const Givens g = GivensFor(x, y);
    RotateRows(t, i, std::max<int64_t>(0, i - 1), g);
    RotateColumns(t, i, std::min(end + 1, i + 3), g);
    RotateColumns(z, i, z.rows, g);
    if (i + 1 < end) {
      x = t(i + 1, i);
      y = t(i + 2, i);
    }
  }
}

// Returns where the unreduced block that ends at `end` begins. Sets the negligible subdiagonal
// element before it to zero.
int64_t ActiveBegin(Matrix& t, int64_t end) {
  int64_t begin = end;
  while (begin > 0) {
    const double beside = Size(t(begin, begin)) + Size(t(begin - 1, begin - 1));
    if (!(Size(t(begin, begin - 1)) > kSchurEpsilon * beside)) {
      t(begin, begin - 1) = 0.0;
      break;
    }
    --begin;
  }
  return begin;
}

void Normalize(Matrix& v, int64_t column) {
  double sum = 0;
  int64_t largest = 0;
  for (int64_t i = 0; i < v.rows; ++i) {
    sum += std::norm(v(i, column));
    if (std::norm(v(i, column)) > std::norm(v(largest, column))) largest = i;
  }
  if (!(sum > 0)) return;
  const Element top = v(largest, column);
  const Element factor = std::conj(top) / std::abs(top) / std::sqrt(sum);
  for (int64_t i = 0; i < v.rows; ++i) v(i, column) *= factor;
  v(largest, column) = v(largest, column).real();
}

Matrix Product(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.columns; ++k) {
      for (int64_t j = 0; j < b.columns; ++j) out(i, j) += a(i, k) * b(k, j);
    }
  }
  return out;
}

Element NotZero(Element value, double least) {
  return Size(value) < least ? Element(least) : value;
}

}  // namespace

int64_t DecomposeSchur(Matrix& a, Matrix& z) {
  std::vector<Element> taus;
  ReduceToHessenberg(a, taus);
  const int64_t n = a.rows;
  // Q of the Hessenberg form acts on all rows but the first.
  z = Matrix::Identity(n);
  Matrix reflectors(std::max<int64_t>(0, n - 1), std::max<int64_t>(0, n - 1));
  for (int64_t i = 1; i < n; ++i) {
    for (int64_t j = 0; j + 1 < n; ++j) reflectors(i - 1, j) = a(i, j);
  }
  Matrix inner = Matrix::Identity(std::max<int64_t>(0, n - 1));
  ApplyQ(reflectors, taus, true, false, inner);
  for (int64_t i = 1; i < n; ++i) {
    for (int64_t j = 1; j < n; ++j) z(i, j) = inner(i - 1, j - 1);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j + 1 < i; ++j) a(i, j) = 0.0;
  }
  int64_t end = n - 1;
  int tries = 0;
  while (end > 0) {
    const int64_t begin = ActiveBegin(a, end);
    if (begin == end) {
      --end;
      tries = 0;
      continue;
    }
    if (++tries > 300) return end + 1;
    // Every tenth try uses an exceptional shift, for matrices that the usual shift leaves
    // unchanged.
    const Element shift = tries % 10 == 0 ? Element(Size(a(end, end - 1)) + Size(a(end, end)))
                                          : WilkinsonShift(a, end);
    ShiftedQrStep(a, z, begin, end, shift);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) a(i, j) = 0.0;  // rounding errors
  }
  return 0;
}

namespace {

// Returns the smallest difference of eigenvalues to divide by: closer ones are equal up to
// rounding.
double LeastPivot(const Matrix& t) {
  double norm = 0;
  for (const Element value : t.elements) norm = std::max(norm, Size(value));
  return std::max(norm * kSchurEpsilon, std::numeric_limits<double>::min());
}

}  // namespace

Matrix RightEigenvectors(const Matrix& t, const Matrix& z) {
  const int64_t n = t.rows;
  const double least = LeastPivot(t);
  Matrix x(n, n);
  for (int64_t k = 0; k < n; ++k) {
    x(k, k) = 1.0;
    for (int64_t i = k - 1; i >= 0; --i) {
      Element sum = 0;
      for (int64_t j = i + 1; j <= k; ++j) sum += t(i, j) * x(j, k);
      x(i, k) = -sum / NotZero(t(i, i) - t(k, k), least);
    }
  }
  Matrix v = Product(z, x);
  for (int64_t k = 0; k < n; ++k) Normalize(v, k);
  return v;
}

Matrix LeftEigenvectors(const Matrix& t, const Matrix& z) {
  const int64_t n = t.rows;
  const double least = LeastPivot(t);
  Matrix y(n, n);
  for (int64_t k = 0; k < n; ++k) {
    y(k, k) = 1.0;
    for (int64_t i = k + 1; i < n; ++i) {
      Element sum = 0;
      for (int64_t j = k; j < i; ++j) sum += std::conj(t(j, i)) * y(j, k);
      y(i, k) = -sum / NotZero(std::conj(t(i, i) - t(k, k)), least);
    }
  }
  Matrix v = Product(z, y);
  for (int64_t k = 0; k < n; ++k) Normalize(v, k);
  return v;
}

}  // namespace halo
