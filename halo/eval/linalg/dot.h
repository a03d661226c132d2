// Sums of products over contracted dimensions, for dot and for everything defined through it
// (ragged and scaled dots, library gemms, attention). Products are accumulated in double (integers
// modulo 2^64) and rounded once.
#ifndef HALO_EVAL_LINALG_DOT_H_
#define HALO_EVAL_LINALG_DOT_H_

#include <cstdint>
#include <vector>

#include "halo/eval/context/op_context.h"

namespace halo {

struct DotDims {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
};

// lhs and rhs may have any types. The result has the batch dimensions, then the free dimensions of
// lhs, then those of rhs.
Result<Array> DotGeneral(const OpContext& cx, const Array& lhs, const Array& rhs,
                         const DotDims& dims, ElementType result);

// Adds lhs [m, k] times rhs [k, n] to `out` [m, n], all row-major doubles.
void MultiplyAdd(const double* lhs, const double* rhs, double* out, int64_t m, int64_t n,
                 int64_t k);

}  // namespace halo

#endif  // HALO_EVAL_LINALG_DOT_H_
