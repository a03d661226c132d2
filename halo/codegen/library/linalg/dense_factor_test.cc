// Products of small integers are exact, so they are compared as they are; factors and solutions are
// checked by what they must satisfy. Sizes are around those of vectors, tiles and panels.
#include "halo/codegen/library/linalg/dense_factor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/library/linalg/dense_kernels.h"

namespace halo {
namespace {

template <class T>
class DenseFactorTest : public testing::Test {
 protected:
  std::vector<T> Integers(int64_t count) {
    std::vector<T> values(static_cast<size_t>(count));
    for (T& value : values) value = static_cast<T>(static_cast<int>(random_() % 7) - 3);
    return values;
  }
  std::vector<T> Numbers(int64_t count) {
    std::uniform_real_distribution<T> numbers(-1, 1);
    std::vector<T> values(static_cast<size_t>(count));
    for (T& value : values) value = numbers(random_);
    return values;
  }
  // Errors grow with the length of the sums.
  static double Tolerance(int64_t n) {
    return 4 * static_cast<double>(n) * std::numeric_limits<T>::epsilon();
  }

  std::mt19937 random_{17};
};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(DenseFactorTest, FloatTypes);

TYPED_TEST(DenseFactorTest, ProductsAreExactAndStayInTheirBlock) {
  using T = TypeParam;
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                                                   {5, 3, 7},
                                                                   {16, 8, 4},
                                                                   {48, 8, 300},
                                                                   {49, 9, 31},
                                                                   {100, 33, 17},
                                                                   {300, 70, 40}}) {
    for (const bool transposed : {false, true}) {
      const int64_t rows = m + 3;  // between the columns of a and c
      const std::vector<T> a = this->Integers(rows * k);
      const std::vector<T> b = this->Integers(k * n);
      std::vector<T> c = this->Integers(rows * n);
      const Strided<const T> by = {b.data(), transposed ? n : 1, transposed ? 1 : k};
      std::vector<T> expected = c;
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          for (int64_t p = 0; p < k; ++p) {
            expected[static_cast<size_t>(i + j * rows)] -=
                a[static_cast<size_t>(i + p * rows)] * by(p, j);
          }
        }
      }
      SubtractProduct<T>(m, n, k, a.data(), rows, by, c.data(), rows);
      EXPECT_EQ(c, expected) << m << " " << n << " " << k << transposed;
    }
  }
}

TYPED_TEST(DenseFactorTest, SolutionsSatisfyTheirSystem) {
  using T = TypeParam;
  for (const int64_t n : {1, 7, 8, 17, 64, 130}) {
    for (const int64_t count : {1, 8, 16, 21, 33, 70}) {
      for (const int form : {0, 1, 2, 3}) {  // columns or rows contiguous, of l and of x
        for (const bool unit : {false, true}) {
          std::vector<T> l = this->Numbers(n * n);
          for (T& each : l) each /= static_cast<T>(n);
          for (int64_t i = 0; i < n; ++i) l[static_cast<size_t>(i * n + i)] = 2;
          std::vector<T> x = this->Numbers(n * count);
          const std::vector<T> b = x;
          const Strided<const T> lower = {l.data(), form % 2 == 0 ? n : 1, form % 2 == 0 ? 1 : n};
          const auto placed = [&](auto* at) {
            return Strided<std::remove_pointer_t<decltype(at)>>{at, form < 2 ? count : 1,
                                                                form < 2 ? 1 : n};
          };
          SolveLower<T>(n, lower, unit, count, placed(b.data()), placed(x.data()));
          std::vector<T> in_place = b;
          const T* const same = in_place.data();
          SolveLower<T>(n, lower, unit, count, placed(same), placed(in_place.data()));
          EXPECT_EQ(x, in_place);
          double worst = 0;
          for (int64_t i = 0; i < n; ++i) {
            for (int64_t v = 0; v < count; ++v) {
              double sum = unit ? placed(x.data())(i, v) : 2.0 * placed(x.data())(i, v);
              for (int64_t j = 0; j < i; ++j) sum += double{lower(i, j)} * placed(x.data())(j, v);
              worst = std::max(worst, std::abs(sum - placed(b.data())(i, v)));
            }
          }
          EXPECT_LT(worst, TestFixture::Tolerance(n)) << n << " " << count << " " << form << unit;
        }
      }
    }
  }
}

TYPED_TEST(DenseFactorTest, LuGivesTheExchangedMatrix) {
  using T = TypeParam;
  for (const auto& [rows, columns] : std::vector<std::array<int64_t, 2>>{{1, 1},
                                                                         {5, 5},
                                                                         {16, 16},
                                                                         {17, 17},
                                                                         {40, 9},
                                                                         {9, 40},
                                                                         {64, 64},
                                                                         {100, 33},
                                                                         {33, 100},
                                                                         {150, 150}}) {
    const std::vector<T> a = this->Numbers(rows * columns);
    std::vector<T> factors = a;
    std::vector<int32_t> pivots(static_cast<size_t>(std::min(rows, columns)));
    EXPECT_EQ(FactorDenseLu(factors.data(), rows, columns, pivots.data()), -1);
    std::vector<int64_t> order(static_cast<size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    for (size_t k = 0; k < pivots.size(); ++k) {
      ASSERT_GE(pivots[k], static_cast<int32_t>(k));
      ASSERT_LT(pivots[k], rows);
      std::swap(order[k], order[static_cast<size_t>(pivots[k])]);
    }
    double worst = 0;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (int64_t k = 0; k <= std::min({i, j, std::min(rows, columns) - 1}); ++k) {
          const double left = k == i ? 1 : factors[static_cast<size_t>(i + k * rows)];
          EXPECT_LE(std::abs(left), 1);  // the pivot is the largest of its column
          sum += left * factors[static_cast<size_t>(k + j * rows)];
        }
        const T exact = a[static_cast<size_t>(order[static_cast<size_t>(i)] + j * rows)];
        worst = std::max(worst, std::abs(sum - exact));
      }
    }
    EXPECT_LT(worst, TestFixture::Tolerance(columns)) << rows << "x" << columns;
  }
}

TYPED_TEST(DenseFactorTest, LuTellsTheFirstColumnWithoutAPivot) {
  using T = TypeParam;
  constexpr int64_t kSize = 40;
  for (const int64_t zero : {0, 5, 39}) {
    std::vector<T> a = this->Numbers(kSize * kSize);
    std::fill_n(a.begin() + zero * kSize, kSize, T{});
    std::vector<int32_t> pivots(kSize);
    EXPECT_EQ(FactorDenseLu(a.data(), kSize, kSize, pivots.data()), zero);
  }
}

TYPED_TEST(DenseFactorTest, CholeskyLeavesTheUpperTriangle) {
  using T = TypeParam;
  for (const int64_t n : {1, 5, 16, 17, 48, 150}) {
    std::vector<T> a = this->Numbers(n * n);
    for (int64_t i = 0; i < n; ++i) a[static_cast<size_t>(i * n + i)] = static_cast<T>(n);
    for (const bool allows_zeros : {false, true}) {
      std::vector<T> factor = a;
      EXPECT_EQ(FactorDenseCholesky(factor.data(), n, allows_zeros), -1);
      double worst = 0;
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < n; ++i) {
          const auto at = static_cast<size_t>(i + j * n);
          if (i < j) {
            EXPECT_EQ(factor[at], a[at]);
            continue;
          }
          double sum = 0;
          for (int64_t k = 0; k <= j; ++k) {
            sum += double{factor[static_cast<size_t>(i + k * n)]} *
                   factor[static_cast<size_t>(j + k * n)];
          }
          worst = std::max(worst, std::abs(sum - a[at]) / static_cast<double>(n));
        }
      }
      EXPECT_LT(worst, TestFixture::Tolerance(n)) << n;
      if (n < 5) continue;
      factor = a;
      factor[static_cast<size_t>((n - 2) * (n + 1))] = std::numeric_limits<T>::quiet_NaN();
      EXPECT_EQ(FactorDenseCholesky(factor.data(), n, allows_zeros), n - 2);
      std::vector<T> zeros(a.size());
      EXPECT_EQ(FactorDenseCholesky(zeros.data(), n, false), 0);
    }
  }
}

}  // namespace
}  // namespace halo
