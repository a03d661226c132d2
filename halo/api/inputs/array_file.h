// Arrays of a program as numpy stores them. Types that numpy lacks go as unsigned integers of their
// width (bf16 as uint16, f8 as uint8), whose bits they keep, so that x.view(ml_dtypes.bfloat16)
// gives the numbers; s4 and narrower integers go as int8 and uint8, with their numbers.
#ifndef HALO_API_INPUTS_ARRAY_FILE_H_
#define HALO_API_INPUTS_ARRAY_FILE_H_

#include <optional>

#include "halo/base/arrays/npz.h"
#include "halo/eval/lanes/array.h"

namespace halo {

NpyType StoredTypeOf(ElementType type);
// True if an array stored so can be read as elements of `type`: as we store them, as bytes without
// a meaning of the same width, or by the type's own name.
bool IsStoredAs(const NpyType& stored, ElementType type);

// The caller has seen that the types fit. Nothing is checked but sizes.
Array ArrayFrom(const NpyArray& stored, ElementType type);

}  // namespace halo

#endif  // HALO_API_INPUTS_ARRAY_FILE_H_
