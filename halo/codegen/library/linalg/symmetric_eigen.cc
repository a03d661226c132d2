// All loops of cubic cost run along rows: dots, scaled sums of rows, and rotations of two rows.
#include "halo/codegen/library/linalg/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "halo/codegen/library/linalg/dense_matrix.h"
#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

constexpr int kMostIterations = 60;  // for one eigenvalue

// H = I - tau v v^T with v = (1, ...) maps x to (beta, 0, ...). Overwrites x with v.
double MakeReflector(double* x, int64_t n, double& beta) {
  beta = x[0];
  const double rest = n > 1 ? std::sqrt(DotOf(x + 1, x + 1, n - 1)) : 0;
  if (rest == 0) return 0;
  const double norm = std::hypot(x[0], rest);
  beta = x[0] >= 0 ? -norm : norm;
  const double tau = (beta - x[0]) / beta;
  const double scale = 1 / (x[0] - beta);
  for (int64_t i = 1; i < n; ++i) x[i] *= scale;
  x[0] = 1;
  return tau;
}

// row -= f v + g w
void SubtractBoth(double f, const double* v, double g, const double* w, double* row, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t j = 0; j < n; ++j) row[j] -= f * v[j] + g * w[j];
  });
}

void RotateBoth(double c, double s, double* upper, double* lower, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t k = 0; k < n; ++k) {
      const double x = upper[k];
      const double y = lower[k];
      upper[k] = c * x - s * y;
      lower[k] = s * x + c * y;
    }
  });
}

// Reduces `a` to the tridiagonal matrix of `d` and `e`, where e[i] is beside d[i] and d[i + 1]. The
// reflector of step k stays in row k, after the diagonal.
void Tridiagonalize(double* a, int64_t n, std::vector<double>& d, std::vector<double>& e,
                    std::vector<double>& tau) {
  std::vector<double> w(static_cast<size_t>(n));
  for (int64_t k = 0; k + 1 < n; ++k) {
    const auto at = static_cast<size_t>(k);
    double* v = a + k * n + k + 1;
    const int64_t m = n - k - 1;
    d[at] = a[k * n + k];
    tau[at] = MakeReflector(v, m, e[at]);
    if (tau[at] == 0) continue;
    double* trailing = a + (k + 1) * n + k + 1;
    for (int64_t i = 0; i < m; ++i) {
      w[static_cast<size_t>(i)] = tau[at] * DotOf(trailing + i * n, v, m);
    }
    SubtractScaled(0.5 * tau[at] * DotOf(v, w.data(), m), v, w.data(), m);
    for (int64_t i = 0; i < m; ++i) {
      SubtractBoth(v[i], w.data(), w[static_cast<size_t>(i)], v, trailing + i * n, m);
    }
  }
  d[static_cast<size_t>(n - 1)] = a[n * n - 1];
}

// The transposed product of all reflectors: row j is its column j.
void FormProduct(const double* a, int64_t n, const std::vector<double>& tau, double* q) {
  std::fill_n(q, n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) q[i * n + i] = 1;
  // H_0 ( H_1 ( ... I)): each acts on the last elements of every row of the transposed product.
  for (int64_t k = n - 2; k >= 0; --k) {
    const double* v = a + k * n + k + 1;
    const int64_t m = n - k - 1;
    const double own = tau[static_cast<size_t>(k)];
    if (own == 0) continue;
    for (int64_t j = k + 1; j < n; ++j) {
      double* row = q + j * n + k + 1;
      SubtractScaled(own * DotOf(v, row, m), v, row, m);
    }
  }
}

// Diagonalizes the tridiagonal matrix by rotations, which are applied to the rows of `q` if given.
bool Diagonalize(std::vector<double>& diagonal, std::vector<double>& beside, int64_t n, double* q) {
  double* d = diagonal.data();
  double* e = beside.data();
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  for (int64_t first = 0; first < n; ++first) {
    for (int iteration = 0;; ++iteration) {
      int64_t last = first;
      while (last + 1 < n &&
             !(std::abs(e[last]) <= kEpsilon * (std::abs(d[last]) + std::abs(d[last + 1])))) {
        ++last;
      }
      if (last == first) break;
      if (iteration == kMostIterations) return false;
      const double half = (d[first + 1] - d[first]) / (2 * e[first]);
      double g =
          d[last] - d[first] + e[first] / (half + std::copysign(std::hypot(half, 1.0), half));
      double s = 1;
      double c = 1;
      double moved = 0;
      int64_t i = last - 1;
      for (; i >= first; --i) {
        const double f = s * e[i];
        const double b = c * e[i];
        const double r = std::sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) break;  // the matrix has split
        s = f / r;
        c = g / r;
        const double rest = d[i + 1] - moved;
        const double t = (d[i] - rest) * s + 2 * c * b;
        moved = s * t;
        d[i + 1] = rest + moved;
        g = c * t - b;
        if (q != nullptr) RotateBoth(c, s, q + i * n, q + (i + 1) * n, n);
      }
      if (i >= first) {
        d[i + 1] -= moved;
        e[last] = 0;
        continue;
      }
      d[first] -= moved;
      e[first] = g;
      e[last] = 0;
    }
  }
  return true;
}

}  // namespace

bool SymmetricEigen(double* a, int64_t n, double* values, double* vectors) {
  if (n == 0) return true;
  // Scaled so that squares neither overflow nor underflow.
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const double size = std::abs(a[i * n + j]);
      if (!(size <= std::numeric_limits<double>::max())) return false;
      largest = std::max(largest, size);
    }
  }
  const double scale = largest > 0 ? std::exp2(std::min(-std::ilogb(largest), 1000)) : 1;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      a[i * n + j] *= scale;
      a[j * n + i] = a[i * n + j];
    }
  }
  const auto size = static_cast<size_t>(n);
  std::vector<double> d(size);
  std::vector<double> e(size);
  std::vector<double> tau(size);
  Tridiagonalize(a, n, d, e, tau);
  if (vectors != nullptr) FormProduct(a, n, tau, vectors);
  if (!Diagonalize(d, e, n, vectors)) return false;
  std::vector<int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int64_t i, int64_t j) {
    return d[static_cast<size_t>(i)] < d[static_cast<size_t>(j)];
  });
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    values[j] = d[static_cast<size_t>(from)] / scale;
    if (vectors != nullptr) std::copy_n(vectors + from * n, n, a + j * n);
  }
  if (vectors != nullptr) std::copy_n(a, n * n, vectors);
  return true;
}

}  // namespace halo
