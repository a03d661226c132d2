// Dense matrices of complex numbers and the factorizations that library calls ask for. Plain
// algorithms in double; where a factorization is not unique it follows LAPACK's conventions (signs
// of reflectors, choice of pivots), and where LAPACK has none (signs of eigenvectors and singular
// vectors) any answer is as good.
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

// Each returns LAPACK's info: 0, or the number of the step that failed.

// a = P L U in place; pivots[i] is the row, from 1, that was exchanged with row i.
int64_t FactorLu(Matrix& a, std::vector<int64_t>& pivots);

// The given triangle of a Hermitian matrix by its Cholesky factor; the other one is left.
int64_t FactorCholesky(Matrix& a, bool lower);

struct Triangular {
  bool left = true, lower = true, unit_diagonal = false;
  char transpose = 'N';  // 'N', 'T' or 'C'
};
// b by the solution x of op(a) x = b, or of x op(a) = b.
void SolveTriangular(const Matrix& a, const Triangular& how, Matrix& b);

// An elementary reflector I - tau v v^H with v[0] = 1 that turns (alpha, x) into (beta, 0): alpha
// becomes beta, x the rest of v; returns tau.
Matrix::Element MakeReflector(Matrix::Element& alpha, std::vector<Matrix::Element>& x);

// a = Q R in place: R above, reflectors below the diagonal. taus has one entry per reflector.
void FactorQr(Matrix& a, std::vector<Matrix::Element>& taus);
// The same with the column of largest remaining norm taken first; order[i] is the column, from 1,
// that became column i.
void FactorQrPivoted(Matrix& a, std::vector<int64_t>& order, std::vector<Matrix::Element>& taus);
// The first columns of Q, as many as a has, from reflectors as FactorQr leaves them.
void FormQ(Matrix& a, const std::vector<Matrix::Element>& taus);
// c by Q c, Q^H c, c Q or c Q^H.
void ApplyQ(const Matrix& reflectors, const std::vector<Matrix::Element>& taus, bool left,
            bool adjoint, Matrix& c);

// Eigenvalues of a Hermitian matrix, ascending; a becomes the eigenvectors, in columns.
void DecomposeHermitian(Matrix& a, std::vector<double>& values);

// a = u diag(s) vt, s descending. u has u_columns orthonormal columns, vt has vt_rows rows.
void DecomposeSingular(const Matrix& a, int64_t u_columns, int64_t vt_rows, Matrix& u,
                       std::vector<double>& s, Matrix& vt);

// a = Q H Q^H in place, H upper Hessenberg, reflectors below it.
void ReduceToHessenberg(Matrix& a, std::vector<Matrix::Element>& taus);
// A Hermitian matrix to real tridiagonal form in place: its diagonal, the one beside it,
// reflectors.
void ReduceToTridiagonal(Matrix& a, bool lower, std::vector<double>& diagonal,
                         std::vector<double>& beside, std::vector<Matrix::Element>& taus);

// a = z t z^H: a becomes t, upper triangular with the eigenvalues on its diagonal, z unitary.
int64_t DecomposeSchur(Matrix& a, Matrix& z);
// Unit vectors, in columns, whose largest component is real: of the matrix, and of its adjoint.
Matrix RightEigenvectors(const Matrix& t, const Matrix& z);
Matrix LeftEigenvectors(const Matrix& t, const Matrix& z);

}  // namespace halo

#endif  // HALO_EVAL_LINALG_MATRIX_H_
