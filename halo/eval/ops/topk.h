// The greatest or least elements of rows, for the op and for the calls that stand for it.
#ifndef HALO_EVAL_OPS_TOPK_H_
#define HALO_EVAL_OPS_TOPK_H_

#include <cstdint>

#include "halo/eval/context/op_context.h"

namespace halo {

// (values, indices) of the k first of each row along the last dimension; k is cut to its length.
Result<Value> TopRows(OpContext& cx, int64_t k, bool largest, ElementType index_type);

}  // namespace halo

#endif  // HALO_EVAL_OPS_TOPK_H_
