// A plain GEMM of two row-major f32 matrices with the library that dots use. Shows what the machine
// can reach.
#ifndef HALO_CODEGEN_LIBRARY_PRODUCTS_MATRIX_PRODUCT_H_
#define HALO_CODEGEN_LIBRARY_PRODUCTS_MATRIX_PRODUCT_H_

#include <cstdint>

namespace halo {

// c[m,n] = a[m,k] * b[k,n]. Returns false if the library fails.
bool MultiplyMatrices(int64_t m, int64_t n, int64_t k, const float* a, const float* b, float* c);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_PRODUCTS_MATRIX_PRODUCT_H_
