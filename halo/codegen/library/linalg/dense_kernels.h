// The loops that triangular systems and factorizations consist of, in floats and doubles:
// subtracting a product of matrices, products of columns by columns, and solving for a lower
// triangle. They read operands where they are and keep sums in registers. Large ones are divided
// among the threads.
#ifndef HALO_CODEGEN_LIBRARY_LINALG_DENSE_KERNELS_H_
#define HALO_CODEGEN_LIBRARY_LINALG_DENSE_KERNELS_H_

#include <cstdint>

namespace halo {

// A matrix in memory. Strides are in elements; those of a reversed dimension are negative.
template <class T>
struct Strided {
  T* at = nullptr;
  int64_t row = 0, column = 0;

  T& operator()(int64_t i, int64_t j) const { return at[i * row + j * column]; }
  [[nodiscard]] Strided From(int64_t i, int64_t j) const { return {&(*this)(i, j), row, column}; }
};

// c[m, n] -= a[m, k] * b[k, n]. Columns of a and c are contiguous; they are a_column and c_column
// elements apart.
template <class T>
void SubtractProduct(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_column,
                     const Strided<const T>& b, T* c, int64_t c_column);

// c[m, n] = a[k, m]^T * b[k, n]. Columns of a and b are contiguous.
template <class T>
void MultiplyColumns(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_column, const T* b,
                     int64_t b_column, T* c, int64_t c_column);

// x[n, count] so that l x = b for the lower triangle of l[n, n]. x may be b.
template <class T>
void SolveLower(int64_t n, const Strided<const T>& l, bool unit_diagonal, int64_t count,
                const Strided<const T>& b, const Strided<T>& x);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LINALG_DENSE_KERNELS_H_
