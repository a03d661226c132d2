// QR factors of one column-major matrix by reflections, and Q from them, in floats or doubles. A
// block of reflections is applied as I - V T V^T, by the loops of dense_kernels.h.
#ifndef HALO_CODEGEN_LIBRARY_LINALG_DENSE_REFLECT_H_
#define HALO_CODEGEN_LIBRARY_LINALG_DENSE_REFLECT_H_

#include <cstdint>

namespace halo {

// Factors a[rows, columns], whose columns are `rows` elements apart, as LAPACK's geqrf: R on and
// above the diagonal, below it vectors v without their first element, which is 1. Reflection k is
// I - scales[k] v v^T.
template <class T>
void FactorDenseQr(T* a, int64_t rows, int64_t columns, T* scales);

// Replaces the vectors of the first `count` reflections in a[rows, columns] by the first columns of
// their product, as LAPACK's orgqr. rows >= columns >= count.
template <class T>
void FormDenseQ(T* a, int64_t rows, int64_t columns, const T* scales, int64_t count);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LINALG_DENSE_REFLECT_H_
