// Checks eigenvectors by what they must satisfy: A V = V diag(values), V orthogonal, values sorted.
#include "halo/codegen/library/linalg/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

// The largest violation, relative to the largest element.
double Violation(const std::vector<double>& a, int64_t n) {
  std::vector<double> work = a;
  std::vector<double> values(static_cast<size_t>(n));
  std::vector<double> vectors(a.size());
  if (!SymmetricEigen(work.data(), n, values.data(), vectors.data())) return 1;
  double largest = std::numeric_limits<double>::min();
  for (const double each : a) largest = std::max(largest, std::abs(each));
  double worst = std::ranges::is_sorted(values) ? 0 : 1;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double product = 0;  // row i of A times vector j
      double overlap = i == j ? -1 : 0;
      for (int64_t k = 0; k < n; ++k) {
        product += a[static_cast<size_t>(std::max(i, k) * n + std::min(i, k))] *
                   vectors[static_cast<size_t>(j * n + k)];
        overlap +=
            vectors[static_cast<size_t>(i * n + k)] * vectors[static_cast<size_t>(j * n + k)];
      }
      const double expected =
          values[static_cast<size_t>(j)] * vectors[static_cast<size_t>(j * n + i)];
      worst = std::max({worst, std::abs(product - expected) / largest, std::abs(overlap)});
    }
  }
  std::vector<double> alone(static_cast<size_t>(n));
  work = a;
  if (!SymmetricEigen(work.data(), n, alone.data(), nullptr)) return 1;
  for (size_t i = 0; i < alone.size(); ++i) {
    worst = std::max(worst, std::abs(alone[i] - values[i]) / largest);
  }
  return worst;
}

TEST(SymmetricEigenTest, VectorsAndValues) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const int64_t n : {1, 2, 3, 4, 7, 16, 33, 100}) {
    std::vector<double> a(static_cast<size_t>(n * n));
    for (double& each : a) each = normal(random);
    EXPECT_LT(Violation(a, n), 1e-13 * static_cast<double>(n)) << n;
    for (const double scale : {1e-200, 1e200}) {
      std::vector<double> scaled = a;
      for (double& each : scaled) each *= scale;
      EXPECT_LT(Violation(scaled, n), 1e-13 * static_cast<double>(n)) << n << " " << scale;
    }
    std::fill(a.begin(), a.end(), 0.0);
    EXPECT_EQ(Violation(a, n), 0) << n;
    std::fill(a.begin(), a.end(), 1.0);  // one value is n, all others are 0
    EXPECT_LT(Violation(a, n), 1e-13 * static_cast<double>(n)) << n;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) a[static_cast<size_t>(i * n + j)] = i == j ? 2.0 : 0.0;
    }
    EXPECT_LT(Violation(a, n), 1e-13) << n;
  }
}

TEST(SymmetricEigenTest, Subnormal) {
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  std::vector<double> a = {8 * kLeast, 0, 0, 4 * kLeast};
  std::vector<double> values(2);
  ASSERT_TRUE(SymmetricEigen(a.data(), 2, values.data(), nullptr));
  EXPECT_EQ(values, (std::vector<double>{4 * kLeast, 8 * kLeast}));
}

TEST(SymmetricEigenTest, NotANumber) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> a = {1, 0, bad, 1};
    std::vector<double> values(2);
    EXPECT_FALSE(SymmetricEigen(a.data(), 2, values.data(), nullptr));
  }
}

}  // namespace
}  // namespace halo
