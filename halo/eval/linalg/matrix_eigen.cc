// Eigenvalues of Hermitian matrices and singular values, both by Jacobi rotations: simple, and as
// accurate as any method.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "halo/eval/linalg/matrix.h"

namespace halo {
namespace {

using Element = Matrix::Element;

constexpr int kMaxSweeps = 60;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// The rotation that diagonalizes [[p, r], [conj(r), q]]: columns (c, -s*), (s, c).
struct Rotation {
  double c = 1;
  Element s = 0;
};

Rotation RotationFor(double p, double q, Element r) {
  const double size = std::abs(r);
  const double theta = (q - p) / (2 * size);
  const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  Rotation out;
  out.c = 1 / std::sqrt(t * t + 1);
  out.s = t * out.c * (r / size);
  return out;
}

// Rotates columns i and j of m.
void RotateColumns(Matrix& m, int64_t i, int64_t j, const Rotation& rotation) {
  for (int64_t k = 0; k < m.rows; ++k) {
    const Element x = m(k, i);
    const Element y = m(k, j);
    m(k, i) = rotation.c * x - std::conj(rotation.s) * y;
    m(k, j) = rotation.s * x + rotation.c * y;
  }
}

void RotateRows(Matrix& m, int64_t i, int64_t j, const Rotation& rotation) {
  for (int64_t k = 0; k < m.columns; ++k) {
    const Element x = m(i, k);
    const Element y = m(j, k);
    m(i, k) = rotation.c * x - rotation.s * y;
    m(j, k) = std::conj(rotation.s) * x + rotation.c * y;
  }
}

// Orders NaN as the largest number.
bool Less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

std::vector<int64_t> OrderOf(const std::vector<double>& values, bool descending) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int64_t i, int64_t j) {
    const double a = values[static_cast<size_t>(descending ? j : i)];
    const double b = values[static_cast<size_t>(descending ? i : j)];
    if (Less(a, b)) return true;
    return !Less(b, a) && i < j;
  });
  return order;
}

void Reorder(std::vector<double>& values, const std::vector<int64_t>& order) {
  std::vector<double> out;
  for (const int64_t i : order) out.push_back(values[static_cast<size_t>(i)]);
  values = std::move(out);
}

Matrix TakeColumns(const Matrix& m, const std::vector<int64_t>& order) {
  Matrix out(m.rows, static_cast<int64_t>(order.size()));
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t j = 0; j < out.columns; ++j) out(i, j) = m(i, order[static_cast<size_t>(j)]);
  }
  return out;
}

// Fills the columns from `done` on with unit vectors that are orthogonal to all preceding ones.
void CompleteColumns(Matrix& u, int64_t done) {
  int64_t candidate = 0;
  for (int64_t j = done; j < u.columns; ++j) {
    for (; candidate < u.rows; ++candidate) {
      for (int64_t i = 0; i < u.rows; ++i) u(i, j) = i == candidate ? 1.0 : 0.0;
      for (int pass = 0; pass < 2; ++pass) {
        for (int64_t k = 0; k < j; ++k) {
          Element overlap = 0;
          for (int64_t i = 0; i < u.rows; ++i) overlap += std::conj(u(i, k)) * u(i, j);
          for (int64_t i = 0; i < u.rows; ++i) u(i, j) -= overlap * u(i, k);
        }
      }
      double norm = 0;
      for (int64_t i = 0; i < u.rows; ++i) norm += std::norm(u(i, j));
      norm = std::sqrt(norm);
      if (norm < 0.5 / std::sqrt(static_cast<double>(u.rows))) continue;
      for (int64_t i = 0; i < u.rows; ++i) u(i, j) /= norm;
      ++candidate;
      break;
    }
  }
}

// Orthogonalizes the columns of b by rotations and accumulates these in v.
void OrthogonalizeColumns(Matrix& b, Matrix& v) {
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool rotated = false;
    for (int64_t i = 0; i + 1 < b.columns; ++i) {
      for (int64_t j = i + 1; j < b.columns; ++j) {
        double p = 0;
        double q = 0;
        Element r = 0;
        for (int64_t k = 0; k < b.rows; ++k) {
          p += std::norm(b(k, i));
          q += std::norm(b(k, j));
          r += std::conj(b(k, i)) * b(k, j);
        }
        if (!(std::abs(r) > kEpsilon * std::sqrt(p * q))) continue;
        rotated = true;
        const Rotation rotation = RotationFor(p, q, r);
        RotateColumns(b, i, j, rotation);
        RotateColumns(v, i, j, rotation);
      }
    }
    if (!rotated) return;
  }
}

// For matrices with at least as many rows as columns.
void DecomposeTall(const Matrix& a, int64_t u_columns, Matrix& u, std::vector<double>& s,
                   Matrix& v) {
  Matrix b = a;
  v = Matrix::Identity(a.columns);
  OrthogonalizeColumns(b, v);
  s.assign(static_cast<size_t>(a.columns), 0.0);
  for (int64_t j = 0; j < b.columns; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < b.rows; ++i) sum += std::norm(b(i, j));
    s[static_cast<size_t>(j)] = std::sqrt(sum);
  }
  const std::vector<int64_t> order = OrderOf(s, true);
  v = TakeColumns(v, order);
  b = TakeColumns(b, order);
  Reorder(s, order);
  u = Matrix(a.rows, u_columns);
  int64_t done = 0;
  // Columns that consist of rounding errors have no meaningful direction.
  while (done < std::min(u_columns, a.columns) && s[static_cast<size_t>(done)] > s[0] * kEpsilon) {
    for (int64_t i = 0; i < a.rows; ++i) u(i, done) = b(i, done) / s[static_cast<size_t>(done)];
    ++done;
  }
  CompleteColumns(u, done);
}

}  // namespace

void DecomposeHermitian(Matrix& a, std::vector<double>& values) {
  const int64_t n = a.rows;
  Matrix v = Matrix::Identity(n);
  double squares = 0;
  for (const Element value : a.elements) squares += std::norm(value);
  const double least = std::sqrt(squares) * kEpsilon * kEpsilon;  // negligible below this
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool rotated = false;
    for (int64_t i = 0; i + 1 < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) {
        const double p = a(i, i).real();
        const double q = a(j, j).real();
        const double tiny = kEpsilon * 0.25 * std::sqrt(std::abs(p * q));
        if (!(std::abs(a(i, j)) > std::max(tiny, least))) continue;
        rotated = true;
        const Rotation rotation = RotationFor(p, q, a(i, j));
        RotateColumns(a, i, j, rotation);
        RotateRows(a, i, j, rotation);
        a(i, j) = 0.0;
        a(j, i) = 0.0;
        RotateColumns(v, i, j, rotation);
      }
    }
    if (!rotated) break;
  }
  values.assign(static_cast<size_t>(n), 0.0);
  for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(i)] = a(i, i).real();
  const std::vector<int64_t> order = OrderOf(values, false);
  a = TakeColumns(v, order);
  Reorder(values, order);
}

void DecomposeSingular(const Matrix& a, int64_t u_columns, int64_t vt_rows, Matrix& u,
                       std::vector<double>& s, Matrix& vt) {
  if (a.rows < a.columns) {
    // a^H = v diag(s) u^H
    Matrix left;
    Matrix right;
    DecomposeTall(a.Adjoint(), vt_rows, left, s, right);
    vt = left.Adjoint();
    Matrix wide(a.rows, u_columns);
    for (int64_t i = 0; i < a.rows; ++i) {
      for (int64_t j = 0; j < std::min(u_columns, right.columns); ++j) wide(i, j) = right(i, j);
    }
    u = std::move(wide);
    return;
  }
  Matrix v;
  DecomposeTall(a, u_columns, u, s, v);
  const Matrix adjoint = v.Adjoint();
  vt = Matrix(vt_rows, a.columns);
  for (int64_t i = 0; i < std::min(vt_rows, adjoint.rows); ++i) {
    for (int64_t j = 0; j < a.columns; ++j) vt(i, j) = adjoint(i, j);
  }
}

}  // namespace halo
