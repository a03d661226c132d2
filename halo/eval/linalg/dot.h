// Sums of products over contracted dimensions, for dot and for everything defined through it
// (ragged and scaled dots, library gemms, attention). Products are added up in double (integers
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

// lhs and rhs of any types; the result has batch, then free lhs, then free rhs dimensions.
Result<Array> DotGeneral(const OpContext& cx, const Array& lhs, const Array& rhs,
                         const DotDims& dims, ElementType result);

// Rows of `out` [m, n] from lhs [m, k] and rhs [k, n], all row-major doubles; adds to what is
// there.
void MultiplyAdd(const double* lhs, const double* rhs, double* out, int64_t m, int64_t n,
                 int64_t k);

}  // namespace halo

#endif  // HALO_EVAL_LINALG_DOT_H_
