// Multiplies the factors of each factorization and compares the product with the matrix.
#include "halo/eval/linalg/matrix.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

using Element = Matrix::Element;

Matrix Random(int64_t rows, int64_t columns, bool complex, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> draw(-1, 1);
  Matrix out(rows, columns);
  for (Element& value : out.elements) value = {draw(engine), complex ? draw(engine) : 0.0};
  return out;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) {
      for (int64_t k = 0; k < a.columns; ++k) out(i, j) += a(i, k) * b(k, j);
    }
  }
  return out;
}

double Distance(const Matrix& a, const Matrix& b) {
  if (a.rows != b.rows || a.columns != b.columns) return INFINITY;
  double largest = 0;
  for (size_t i = 0; i < a.elements.size(); ++i) {
    largest = std::max(largest, std::abs(a.elements[i] - b.elements[i]));
  }
  return largest;
}

Matrix Upper(const Matrix& a, int64_t below = 0) {
  Matrix out = a;
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) {
      if (j < i - below) out(i, j) = 0.0;
    }
  }
  return out;
}

Matrix Hermitian(int64_t n, bool complex, unsigned seed) {
  const Matrix a = Random(n, n, complex, seed);
  Matrix out = a * a.Adjoint();
  for (int64_t i = 0; i < n; ++i) out(i, i) = out(i, i).real() + static_cast<double>(i);
  return out;
}

class MatrixTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(RealAndComplex, MatrixTest, testing::Bool());

TEST_P(MatrixTest, LuRebuildsTheMatrix) {
  for (const auto& [rows, columns] : {std::pair{6, 6}, {7, 4}, {4, 7}}) {
    const Matrix a = Random(rows, columns, GetParam(), 1);
    Matrix lu = a;
    std::vector<int64_t> pivots;
    EXPECT_EQ(FactorLu(lu, pivots), 0);
    const int64_t steps = std::min(rows, columns);
    Matrix lower(rows, steps);
    Matrix upper(steps, columns);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < steps; ++j) {
        lower(i, j) = i == j ? Element(1.0) : i > j ? lu(i, j) : Element();
      }
    }
    for (int64_t i = 0; i < steps; ++i) {
      for (int64_t j = i; j < columns; ++j) upper(i, j) = lu(i, j);
    }
    Matrix product = lower * upper;
    for (int64_t i = steps - 1; i >= 0; --i) {
      const int64_t other = pivots[static_cast<size_t>(i)] - 1;
      for (int64_t j = 0; j < columns; ++j) std::swap(product(i, j), product(other, j));
    }
    EXPECT_LT(Distance(product, a), 1e-13);
  }
}

TEST_P(MatrixTest, SingularMatrixTellsWhere) {
  Matrix a = Random(4, 4, GetParam(), 2);
  for (int64_t i = 0; i < 4; ++i) a(i, 1) = 0.0;
  std::vector<int64_t> pivots;
  EXPECT_EQ(FactorLu(a, pivots), 2);
  Matrix b = Hermitian(3, GetParam(), 3);
  b(1, 1) = -1.0;
  EXPECT_EQ(FactorCholesky(b, true), 2);
}

TEST_P(MatrixTest, CholeskyOfEitherTriangle) {
  const Matrix a = Hermitian(5, GetParam(), 4);
  Matrix lower = a;
  ASSERT_EQ(FactorCholesky(lower, true), 0);
  lower = Upper(lower.Adjoint()).Adjoint();
  EXPECT_LT(Distance(lower * lower.Adjoint(), a), 1e-12);
  Matrix upper = a;
  ASSERT_EQ(FactorCholesky(upper, false), 0);
  upper = Upper(upper);
  EXPECT_LT(Distance(upper.Adjoint() * upper, a), 1e-12);
}

TEST_P(MatrixTest, TriangularSolvesOfEveryKind) {
  Matrix a = Random(4, 4, GetParam(), 5);
  for (int64_t i = 0; i < 4; ++i) a(i, i) += 3.0;
  for (const bool left : {true, false}) {
    for (const bool lower : {true, false}) {
      for (const char transpose : {'N', 'T', 'C'}) {
        Matrix op = lower ? Upper(a.Adjoint()).Adjoint() : Upper(a);
        if (transpose != 'N') {
          op = op.Adjoint();
          if (transpose == 'T') {
            for (Element& value : op.elements) value = std::conj(value);
          }
        }
        const Matrix b = left ? Random(4, 3, GetParam(), 6) : Random(3, 4, GetParam(), 6);
        Matrix x = b;
        SolveTriangular(a, {left, lower, false, transpose}, x);
        EXPECT_LT(Distance(left ? op * x : x * op, b), 1e-13) << left << lower << transpose;
      }
    }
  }
}

TEST_P(MatrixTest, QrAndWhatIsMadeOfIt) {
  for (const auto& [rows, columns] : {std::pair{6, 4}, {5, 5}, {3, 6}}) {
    const Matrix a = Random(rows, columns, GetParam(), 7);
    Matrix qr = a;
    std::vector<Element> taus;
    FactorQr(qr, taus);
    Matrix product = Upper(qr);
    ApplyQ(qr, taus, true, false, product);
    EXPECT_LT(Distance(product, a), 1e-13);
    for (int64_t i = 0; i < std::min(rows, columns); ++i) EXPECT_EQ(qr(i, i).imag(), 0);
    Matrix q = Random(rows, rows, false, 1);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < rows; ++j) q(i, j) = j < columns ? qr(i, j) : Element();
    }
    FormQ(q, taus);
    EXPECT_LT(Distance(q.Adjoint() * q, Matrix::Identity(rows)), 1e-13);
    Matrix from_right = Matrix::Identity(rows);
    ApplyQ(qr, taus, false, false, from_right);
    EXPECT_LT(Distance(from_right, q), 1e-13);
    ApplyQ(qr, taus, false, true, from_right);
    EXPECT_LT(Distance(from_right, Matrix::Identity(rows)), 1e-13);
  }
}

TEST_P(MatrixTest, PivotedQrHasFallingDiagonal) {
  const Matrix a = Random(5, 5, GetParam(), 8);
  Matrix qr = a;
  std::vector<int64_t> order;
  std::vector<Element> taus;
  FactorQrPivoted(qr, order, taus);
  for (int64_t i = 0; i + 1 < 5; ++i) EXPECT_GE(std::abs(qr(i, i)), std::abs(qr(i + 1, i + 1)));
  Matrix product = Upper(qr);
  ApplyQ(qr, taus, true, false, product);
  for (int64_t j = 0; j < 5; ++j) {
    for (int64_t i = 0; i < 5; ++i) {
      EXPECT_LT(std::abs(product(i, j) - a(i, order[static_cast<size_t>(j)] - 1)), 1e-13);
    }
  }
}

TEST_P(MatrixTest, HermitianEigenvectors) {
  const Matrix a = Hermitian(6, GetParam(), 9);
  Matrix v = a;
  std::vector<double> values;
  DecomposeHermitian(v, values);
  Matrix scaled = v;
  for (int64_t i = 0; i < 6; ++i) {
    for (int64_t j = 0; j < 6; ++j) scaled(i, j) *= values[static_cast<size_t>(j)];
  }
  EXPECT_TRUE(std::ranges::is_sorted(values));
  EXPECT_LT(Distance(a * v, scaled), 1e-12);
  EXPECT_LT(Distance(v.Adjoint() * v, Matrix::Identity(6)), 1e-13);
}

TEST_P(MatrixTest, SingularVectorsOfEveryShape) {
  for (const auto& [rows, columns] : {std::pair{6, 4}, {4, 6}, {5, 5}}) {
    Matrix a = Random(rows, columns, GetParam(), 10);
    for (int64_t j = 0; j < columns; ++j) a(1, j) = a(0, j);  // reduces the rank by one
    Matrix u;
    Matrix vt;
    std::vector<double> s;
    DecomposeSingular(a, rows, columns, u, s, vt);
    EXPECT_LT(Distance(u.Adjoint() * u, Matrix::Identity(rows)), 1e-12);
    EXPECT_LT(Distance(vt * vt.Adjoint(), Matrix::Identity(columns)), 1e-12);
    EXPECT_TRUE(std::ranges::is_sorted(s, std::greater<>()));
    Matrix middle(rows, columns);
    for (size_t i = 0; i < s.size(); ++i) {
      middle(static_cast<int64_t>(i), static_cast<int64_t>(i)) = s[i];
    }
    EXPECT_LT(Distance(u * middle * vt, a), 1e-12);
  }
}

TEST_P(MatrixTest, HessenbergAndTridiagonalForms) {
  const Matrix a = Random(5, 5, GetParam(), 11);
  Matrix h = a;
  std::vector<Element> taus;
  ReduceToHessenberg(h, taus);
  // Q acts on all rows but the first: its reflectors are those below the first subdiagonal.
  Matrix q = Matrix::Identity(5);
  for (int64_t k = 3; k >= 0; --k) {
    std::vector<Element> v(5);
    v[static_cast<size_t>(k + 1)] = 1.0;
    for (int64_t i = k + 2; i < 5; ++i) v[static_cast<size_t>(i)] = h(i, k);
    Matrix reflector = Matrix::Identity(5);
    for (int64_t i = 0; i < 5; ++i) {
      for (int64_t j = 0; j < 5; ++j) {
        reflector(i, j) -= taus[static_cast<size_t>(k)] * v[static_cast<size_t>(i)] *
                           std::conj(v[static_cast<size_t>(j)]);
      }
    }
    q = reflector * q;
  }
  EXPECT_LT(Distance(q * Upper(h, 1) * q.Adjoint(), a), 1e-13);

  const Matrix b = Hermitian(5, GetParam(), 12);
  for (const bool lower : {true, false}) {
    Matrix t = b;
    std::vector<double> diagonal;
    std::vector<double> beside;
    ReduceToTridiagonal(t, lower, diagonal, beside, taus);
    Matrix form(5, 5);
    for (int64_t i = 0; i < 5; ++i) {
      form(i, i) = diagonal[static_cast<size_t>(i)];
      if (i < 4) form(i + 1, i) = form(i, i + 1) = beside[static_cast<size_t>(i)];
    }
    std::vector<double> have;
    std::vector<double> want;
    DecomposeHermitian(form, have);
    Matrix copy = b;
    DecomposeHermitian(copy, want);
    for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(have[i], want[i], 1e-12);
  }
}

TEST_P(MatrixTest, SchurFormAndEigenvectors) {
  const Matrix a = Random(7, 7, GetParam(), 14);
  Matrix t = a;
  Matrix z;
  ASSERT_EQ(DecomposeSchur(t, z), 0);
  EXPECT_LT(Distance(z.Adjoint() * z, Matrix::Identity(7)), 1e-12);
  EXPECT_LT(Distance(Upper(t), t), 1e-300);
  EXPECT_LT(Distance(z * t * z.Adjoint(), a), 1e-12);
  const Matrix right = RightEigenvectors(t, z);
  const Matrix left = LeftEigenvectors(t, z);
  Matrix scaled_right = right;
  Matrix scaled_left = left;
  for (int64_t i = 0; i < 7; ++i) {
    for (int64_t j = 0; j < 7; ++j) {
      scaled_right(i, j) *= t(j, j);
      scaled_left(i, j) *= std::conj(t(j, j));
    }
  }
  EXPECT_LT(Distance(a * right, scaled_right), 1e-12);
  EXPECT_LT(Distance(a.Adjoint() * left, scaled_left), 1e-12);
}

TEST(MatrixTest, SchurFormOfWhatShiftsLeaveAlone) {
  Matrix cycle(4, 4);  // a permutation: all eigenvalues on the unit circle
  for (int64_t i = 0; i < 4; ++i) cycle((i + 1) % 4, i) = 1.0;
  Matrix t = cycle;
  Matrix z;
  EXPECT_EQ(DecomposeSchur(t, z), 0);
  EXPECT_LT(Distance(z * t * z.Adjoint(), cycle), 1e-13);
}

TEST(MatrixTest, NotANumberEnds) {
  Matrix a = Random(4, 4, true, 13);
  a(2, 1) = NAN;
  std::vector<double> values;
  Matrix u;
  Matrix vt;
  DecomposeSingular(a, 4, 4, u, values, vt);
  Matrix t = a;
  DecomposeSchur(t, u);
  DecomposeHermitian(a, values);
  EXPECT_EQ(values.size(), 4U);
}

}  // namespace
}  // namespace halo
