// LU with partial pivoting and Cholesky factors of one column-major matrix, in place, in floats or
// doubles. Both split the matrix in halves until few columns are left, so nearly all work is
// done by dense_kernels.h.
#ifndef HALO_CODEGEN_LIBRARY_LINALG_DENSE_FACTOR_H_
#define HALO_CODEGEN_LIBRARY_LINALG_DENSE_FACTOR_H_

#include <cstdint>

namespace halo {

// Factors a[rows, columns], whose columns are `rows` elements apart. Row k is exchanged with row
// pivots[k] >= k, before column k is eliminated. Returns the first column without a pivot, or -1.
template <class T>
int64_t FactorDenseLu(T* a, int64_t rows, int64_t columns, int32_t* pivots);

// Factors the lower triangle of a[n, n]; the upper one is neither read nor written. Returns the
// first column whose diagonal element would be the root of a negative number or NaN; -1 if there is
// none. A root of zero is one of these for LAPACK's routine. With `allows_zeros`, as the
// instruction defines it, it shows up in what is divided by it, the diagonal element among them.
template <class T>
int64_t FactorDenseCholesky(T* a, int64_t n, bool allows_zeros);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LINALG_DENSE_FACTOR_H_
