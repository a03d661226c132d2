// LU and Cholesky factors, and triangular solves.
#include <cmath>
#include <utility>

#include "halo/eval/linalg/matrix.h"

namespace halo {
namespace {

using Element = Matrix::Element;

// The magnitude by which LAPACK chooses pivots.
double PivotSize(Element value) { return std::abs(value.real()) + std::abs(value.imag()); }

void SwapRows(Matrix& a, int64_t i, int64_t j) {
  if (i == j) return;
  for (int64_t c = 0; c < a.columns; ++c) std::swap(a(i, c), a(j, c));
}

Element OpOf(const Matrix& a, char transpose, int64_t i, int64_t j) {
  if (transpose == 'N') return a(i, j);
  return transpose == 'C' ? std::conj(a(j, i)) : a(j, i);
}

}  // namespace

Matrix Matrix::Identity(int64_t n) {
  Matrix out(n, n);
  for (int64_t i = 0; i < n; ++i) out(i, i) = 1.0;
  return out;
}

Matrix Matrix::Adjoint() const {
  Matrix out(columns, rows);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) out(j, i) = std::conj((*this)(i, j));
  }
  return out;
}

int64_t FactorLu(Matrix& a, std::vector<int64_t>& pivots) {
  const int64_t steps = std::min(a.rows, a.columns);
  int64_t info = 0;
  pivots.clear();
  for (int64_t k = 0; k < steps; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < a.rows; ++i) {
      if (PivotSize(a(i, k)) > PivotSize(a(pivot, k))) pivot = i;
    }
    pivots.push_back(pivot + 1);
    SwapRows(a, k, pivot);
    if (a(k, k) == 0.0) {
      if (info == 0) info = k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < a.rows; ++i) {
      const Element factor = a(i, k) / a(k, k);
      a(i, k) = factor;
      for (int64_t j = k + 1; j < a.columns; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return info;
}

int64_t FactorCholesky(Matrix& a, bool lower) {
  // The lower factor L; for the upper triangle, U = L^H.
  const auto at = [&](int64_t i, int64_t j) { return lower ? a(i, j) : std::conj(a(j, i)); };
  const auto set = [&](int64_t i, int64_t j, Element value) {
    if (lower) {
      a(i, j) = value;
    } else {
      a(j, i) = std::conj(value);
    }
  };
  for (int64_t j = 0; j < a.rows; ++j) {
    double diagonal = a(j, j).real();
    for (int64_t k = 0; k < j; ++k) diagonal -= std::norm(at(j, k));
    if (!(diagonal > 0)) return j + 1;
    const double root = std::sqrt(diagonal);
    set(j, j, root);
    for (int64_t i = j + 1; i < a.rows; ++i) {
      Element sum = at(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= at(i, k) * std::conj(at(j, k));
      set(i, j, sum / root);
    }
  }
  return 0;
}

void SolveTriangular(const Matrix& a, const Triangular& how, Matrix& b) {
  // x op(a) = b is op(a)^T x^T = b^T: one more transposition, with the rows of b as right-hand
  // sides.
  const bool transposed = (how.transpose != 'N') == how.left;
  const bool forward = how.lower != transposed;
  const int64_t n = a.rows;
  if (n == 0) return;  // however many right-hand sides there are
  const int64_t sides = how.left ? b.columns : b.rows;
  const auto op = [&](int64_t i, int64_t j) {
    return how.left ? OpOf(a, how.transpose, i, j) : OpOf(a, how.transpose, j, i);
  };
  for (int64_t side = 0; side < sides; ++side) {
    const auto x = [&](int64_t i) -> Element& { return how.left ? b(i, side) : b(side, i); };
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = forward ? step : n - 1 - step;
      Element sum = x(i);
      for (int64_t done = 0; done < step; ++done) {
        const int64_t j = forward ? done : n - 1 - done;
        sum -= op(i, j) * x(j);
      }
      x(i) = how.unit_diagonal ? sum : sum / op(i, i);
    }
  }
}

}  // namespace halo
