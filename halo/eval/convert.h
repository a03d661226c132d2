// Converting arrays between element types, as HLO's convert does.
#ifndef HALO_EVAL_CONVERT_H_
#define HALO_EVAL_CONVERT_H_

#include "halo/eval/op_context.h"

namespace halo {

// The array itself if it has the type already.
Array Converted(const OpContext& cx, const Array& array, ElementType type);

// Lanes of one type to lanes of another. Floats to integers saturate and NaN becomes zero.
void ConvertLanes(ElementType from, ElementType to, const void* in, void* out, size_t n);

}  // namespace halo

#endif  // HALO_EVAL_CONVERT_H_
