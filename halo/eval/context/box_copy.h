// Boxes of arrays: extracts a box from an array and writes one into it. Callers keep the box inside
// the array.
#ifndef HALO_EVAL_CONTEXT_BOX_COPY_H_
#define HALO_EVAL_CONTEXT_BOX_COPY_H_

#include <cstdint>
#include <span>

#include "halo/eval/context/op_context.h"

namespace halo {

Array TakeBox(const OpContext& cx, const Array& array, std::span<const int64_t> starts,
              std::span<const int64_t> sizes);
// `box` has the array's rank and element type.
void PutBox(const Array& box, std::span<const int64_t> starts, Array& array);

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_BOX_COPY_H_
