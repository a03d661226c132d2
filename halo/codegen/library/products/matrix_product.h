// The plain product of two row-major f32 matrices by the library that dots use: what the machine
// reaches.
#ifndef HALO_CODEGEN_LIBRARY_PRODUCTS_MATRIX_PRODUCT_H_
#define HALO_CODEGEN_LIBRARY_PRODUCTS_MATRIX_PRODUCT_H_

#include <cstdint>

namespace halo {

// c[m,n] = a[m,k] * b[k,n]. False if the library refuses.
bool MultiplyMatrices(int64_t m, int64_t n, int64_t k, const float* a, const float* b, float* c);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_PRODUCTS_MATRIX_PRODUCT_H_
