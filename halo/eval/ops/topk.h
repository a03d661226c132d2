// The greatest or least elements of rows, for topk and for the calls that are equivalent to it.
#ifndef HALO_EVAL_OPS_TOPK_H_
#define HALO_EVAL_OPS_TOPK_H_

#include <cstdint>

#include "halo/eval/context/op_context.h"

namespace halo {

// Returns (values, indices) of the first k of each row along the last dimension; k is clamped to
// the row's length.
Result<Value> TopRows(OpContext& cx, int64_t k, bool largest, ElementType index_type);

}  // namespace halo

#endif  // HALO_EVAL_OPS_TOPK_H_
