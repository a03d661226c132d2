// Converts arrays between element types, as HLO's convert does.
#ifndef HALO_EVAL_CONTEXT_CONVERTED_H_
#define HALO_EVAL_CONTEXT_CONVERTED_H_

#include "halo/eval/context/op_context.h"

namespace halo {

// Returns the array itself if it already has the type.
Array Converted(const OpContext& cx, const Array& array, ElementType type);

// True for two different float types: XLA lets ops declare another precision than their operands'.
bool IsOtherPrecision(ElementType computed, ElementType declared);

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_CONVERTED_H_
