// Dense matrices of complex numbers and the factorizations that library calls need. Uses simple
// algorithms in double. Where a factorization is not unique, it follows LAPACK's conventions (signs
// of reflectors, choice of pivots); where LAPACK has none (signs of eigenvectors and singular
// vectors), any valid result is acceptable.
#ifndef HALO_EVAL_LINALG_MATRIX_H_
#define HALO_EVAL_LINALG_MATRIX_H_

#include <complex>
#include <cstdint>
#include <vector>

namespace halo {

struct Matrix {
  using Element = std::complex<double>;

  Matrix() = default;
  Matrix(int64_t row_count, int64_t column_count)
      : rows(row_count),
        columns(column_count),
        elements(static_cast<size_t>(row_count * column_count)) {}
  static Matrix Identity(int64_t n);

  Element& operator()(int64_t i, int64_t j) {
    return elements[static_cast<size_t>(i * columns + j)];
  }
  const Element& operator()(int64_t i, int64_t j) const {
    return elements[static_cast<size_t>(i * columns + j)];
  }
  [[nodiscard]] Matrix Adjoint() const;  // conjugate transpose

  int64_t rows = 0, columns = 0;
  std::vector<Element> elements;  // row-major
};

// Functions that return an integer return LAPACK's info: 0, or the number of the step that failed.

// Factors a = P L U in place. pivots[i] is the 1-based row that was exchanged with row i.
int64_t FactorLu(Matrix& a, std::vector<int64_t>& pivots);

// Replaces the given triangle of a Hermitian matrix with its Cholesky factor; leaves the other one
// unchanged.
int64_t FactorCholesky(Matrix& a, bool lower);

struct Triangular {
  bool left = true, lower = true, unit_diagonal = false;
  char transpose = 'N';  // 'N', 'T' or 'C'
};
// Replaces b with the solution x of op(a) x = b, or of x op(a) = b.
void SolveTriangular(const Matrix& a, const Triangular& how, Matrix& b);

// Makes an elementary reflector I - tau v v^H with v[0] = 1 that maps (alpha, x) to (beta, 0).
// Replaces alpha with beta and x with the rest of v; returns tau.
Matrix::Element MakeReflector(Matrix::Element& alpha, std::vector<Matrix::Element>& x);

// Factors a = Q R in place: R above the diagonal, reflectors below it. taus has one entry per
// reflector.
void FactorQr(Matrix& a, std::vector<Matrix::Element>& taus);
// The same with column pivoting: the column with the largest remaining norm is taken first.
// order[i] is the 1-based column that became column i.
void FactorQrPivoted(Matrix& a, std::vector<int64_t>& order, std::vector<Matrix::Element>& taus);
// Forms the first columns of Q, as many as a has, from reflectors as FactorQr leaves them.
void FormQ(Matrix& a, const std::vector<Matrix::Element>& taus);
// Replaces c with Q c, Q^H c, c Q or c Q^H.
void ApplyQ(const Matrix& reflectors, const std::vector<Matrix::Element>& taus, bool left,
            bool adjoint, Matrix& c);

// Computes the eigenvalues of a Hermitian matrix in ascending order. Replaces a with the
// eigenvectors, as columns.
void DecomposeHermitian(Matrix& a, std::vector<double>& values);

// Factors a = u diag(s) vt with s descending. u has u_columns orthonormal columns, vt has vt_rows
// rows.
void DecomposeSingular(const Matrix& a, int64_t u_columns, int64_t vt_rows, Matrix& u,
                       std::vector<double>& s, Matrix& vt);

// Factors a = Q H Q^H in place: H upper Hessenberg, reflectors below it.
void ReduceToHessenberg(Matrix& a, std::vector<Matrix::Element>& taus);
// Reduces a Hermitian matrix to real tridiagonal form in place: diagonal, off-diagonal, reflectors.
void ReduceToTridiagonal(Matrix& a, bool lower, std::vector<double>& diagonal,
                         std::vector<double>& beside, std::vector<Matrix::Element>& taus);

// Factors a = z t z^H with z unitary. Replaces a with t, which is upper triangular with the
// eigenvalues on its diagonal.
int64_t DecomposeSchur(Matrix& a, Matrix& z);
// Return unit eigenvectors of the matrix and of its adjoint, as columns. The largest component of
// each is real.
Matrix RightEigenvectors(const Matrix& t, const Matrix& z);
Matrix LeftEigenvectors(const Matrix& t, const Matrix& z);

}  // namespace halo

#endif  // HALO_EVAL_LINALG_MATRIX_H_
