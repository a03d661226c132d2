// Factors are checked by what they must satisfy: Q has orthonormal columns, and Q R is the matrix.
// Sizes are around those of blocks.
#include "halo/codegen/library/linalg/dense_reflect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/library/linalg/dense_kernels.h"

namespace halo {
namespace {

template <class T>
class DenseReflectTest : public testing::Test {
 protected:
  std::vector<T> Numbers(int64_t count) {
    std::uniform_real_distribution<T> numbers(-1, 1);
    std::vector<T> values(static_cast<size_t>(count));
    for (T& value : values) value = numbers(random_);
    return values;
  }

  // How far Q^T Q is from 1 and Q R from `scale` times the matrix, in units of the type's epsilon.
  // Q has `width` columns, at least as many as R has rows.
  static double ErrorOf(const std::vector<T>& a, int64_t rows, int64_t columns, int64_t width,
                        double scale) {
    const int64_t least = std::min(rows, columns);
    std::vector<T> factors = a;
    for (T& each : factors) each = static_cast<T>(each * scale);
    const std::vector<T> scaled = factors;
    std::vector<T> scales(static_cast<size_t>(least));
    FactorDenseQr(factors.data(), rows, columns, scales.data());
    std::vector<T> q = factors;
    q.resize(static_cast<size_t>(rows * width), std::numeric_limits<T>::quiet_NaN());
    FormDenseQ(q.data(), rows, width, scales.data(), least);
    const auto at = [&](const std::vector<T>& of, int64_t i, int64_t j) {
      return double{of[static_cast<size_t>(i + j * rows)]};
    };
    double worst = 0;
    const auto see = [&](double error) {
      if (!(error <= worst)) worst = error;
    };
    for (int64_t i = 0; i < width; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        double sum = i == j ? -1 : 0;
        for (int64_t p = 0; p < rows; ++p) sum += at(q, p, i) * at(q, p, j);
        see(std::abs(sum));
      }
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        double sum = -at(scaled, i, j) / scale;
        for (int64_t p = 0; p <= std::min(j, least - 1); ++p) {
          sum += at(q, i, p) * (at(factors, p, j) / scale);
        }
        see(std::abs(sum));
      }
    }
    return worst / std::numeric_limits<T>::epsilon();
  }

  std::mt19937 random_{23};
};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(DenseReflectTest, FloatTypes);

TYPED_TEST(DenseReflectTest, ProductsOfColumnsAreExact) {
  using T = TypeParam;
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{
           {1, 1, 1}, {4, 4, 16}, {5, 3, 7}, {16, 9, 0}, {16, 33, 300}, {31, 70, 129}}) {
    const int64_t rows = k + 3;  // between columns
    const auto integers = [&](int64_t count) {
      std::vector<T> values(static_cast<size_t>(count));
      for (T& value : values) value = static_cast<T>(static_cast<int>(this->random_() % 7) - 3);
      return values;
    };
    const std::vector<T> a = integers(rows * m);
    const std::vector<T> b = integers(rows * n);
    std::vector<T> c = integers((m + 2) * n);
    std::vector<T> expected = c;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          sum += a[static_cast<size_t>(p + i * rows)] * b[static_cast<size_t>(p + j * rows)];
        }
        expected[static_cast<size_t>(i + j * (m + 2))] = sum;
      }
    }
    MultiplyColumns<T>(m, n, k, a.data(), rows, b.data(), rows, c.data(), m + 2);
    EXPECT_EQ(c, expected) << m << " " << n << " " << k;
  }
}

TYPED_TEST(DenseReflectTest, FactorsGiveTheMatrix) {
  for (const auto& [rows, columns, width] : std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                                                                {2, 1, 2},
                                                                                {5, 5, 5},
                                                                                {9, 40, 9},
                                                                                {40, 9, 40},
                                                                                {16, 16, 16},
                                                                                {17, 17, 17},
                                                                                {100, 33, 60},
                                                                                {33, 100, 33},
                                                                                {300, 270, 300}}) {
    const auto a = this->Numbers(rows * columns);
    EXPECT_LT(this->ErrorOf(a, rows, columns, width, 1), 8 * std::sqrt(double(rows)))
        << rows << "x" << columns << " " << width;
  }
}

TYPED_TEST(DenseReflectTest, FactorsOfLargeAndSmallNumbers) {
  const double most = std::numeric_limits<TypeParam>::max();
  const auto a = this->Numbers(40 * 20);
  for (const double scale : {most / 16, 64.0 * std::numeric_limits<TypeParam>::min()}) {
    // Small numbers are subnormal in part: their errors are as large as those of 64 times the
    // least.
    EXPECT_LT(this->ErrorOf(a, 40, 20, 40, scale), 8 * std::sqrt(40.0)) << scale;
  }
}

TYPED_TEST(DenseReflectTest, ColumnsOfZerosAreNotReflected) {
  using T = TypeParam;
  constexpr int64_t kRows = 24;
  constexpr int64_t kColumns = 20;
  std::vector<T> a = this->Numbers(kRows * kColumns);
  std::fill_n(a.begin(), kRows, T{});
  a[0] = 3;  // the sign of the diagonal element stays
  std::fill_n(a.begin() + 17 * kRows, kRows, T{});
  std::vector<T> factors = a;
  std::vector<T> scales(kColumns);
  FactorDenseQr(factors.data(), kRows, kColumns, scales.data());
  EXPECT_EQ(factors[0], 3);
  EXPECT_EQ(scales[0], 0);
  EXPECT_EQ(scales[17], 0);
  EXPECT_LT(this->ErrorOf(a, kRows, kColumns, kRows, 1), 8 * std::sqrt(double(kRows)));
}

TYPED_TEST(DenseReflectTest, NaNReachesAllColumnsAfterIt) {
  using T = TypeParam;
  constexpr int64_t kSize = 40;
  std::vector<T> a = this->Numbers(kSize * kSize);
  a[kSize * 3 + 30] = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> scales(kSize);
  FactorDenseQr(a.data(), kSize, kSize, scales.data());
  for (int64_t j = 0; j < kSize; ++j) {
    EXPECT_EQ(std::isnan(a[static_cast<size_t>(j * kSize + std::min<int64_t>(j, 3))]), j >= 3) << j;
    // One element is not reflected.
    EXPECT_EQ(std::isnan(scales[static_cast<size_t>(j)]), j >= 3 && j < kSize - 1) << j;
  }
}

}  // namespace
}  // namespace halo
