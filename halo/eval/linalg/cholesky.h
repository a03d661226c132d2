// What a cholesky instruction computes, also for matrices that have no factor.
#ifndef HALO_EVAL_LINALG_CHOLESKY_H_
#define HALO_EVAL_LINALG_CHOLESKY_H_

#include <complex>
#include <cstdint>

namespace halo {

// Computes l l^H = a in place; the other triangle becomes zero. l(i, j) is stored at
// i * row + j * column, so swapping the two strides gives the upper factor.
void CholeskyInPlace(std::complex<double>* a, int64_t n, int64_t row, int64_t column);

}  // namespace halo

#endif  // HALO_EVAL_LINALG_CHOLESKY_H_
