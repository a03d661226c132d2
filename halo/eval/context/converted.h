// Converting arrays between element types, as HLO's convert does.
#ifndef HALO_EVAL_CONTEXT_CONVERTED_H_
#define HALO_EVAL_CONTEXT_CONVERTED_H_

#include "halo/eval/context/op_context.h"

namespace halo {

// The array itself if it has the type already.
Array Converted(const OpContext& cx, const Array& array, ElementType type);

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_CONVERTED_H_
