// Eigenvalues and eigenvectors of real symmetric matrices of doubles: reflections to tridiagonal
// form, then the implicit QL method.
#ifndef HALO_CODEGEN_LIBRARY_LINALG_SYMMETRIC_EIGEN_H_
#define HALO_CODEGEN_LIBRARY_LINALG_SYMMETRIC_EIGEN_H_

#include <cstdint>

namespace halo {

// Only the lower triangle of the n x n matrix `a` is read. `values` receives the eigenvalues in
// ascending order. Row j of `vectors` becomes the unit vector of value j; with null, no vectors are
// computed. `a` is overwritten. Returns false if there is no convergence, as with NaN.
bool SymmetricEigen(double* a, int64_t n, double* values, double* vectors);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LINALG_SYMMETRIC_EIGEN_H_
