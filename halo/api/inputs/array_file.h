// A program's arrays as numpy stores them. Types that numpy lacks are stored as unsigned integers
// of the same width (bf16 as uint16, f8 as uint8) with the same bits, so that
// x.view(ml_dtypes.bfloat16) gives the numbers. s4 and narrower integers are stored as int8 and
// uint8, with the same values.
#ifndef HALO_API_INPUTS_ARRAY_FILE_H_
#define HALO_API_INPUTS_ARRAY_FILE_H_

#include <optional>

#include "halo/base/arrays/npz.h"
#include "halo/eval/lanes/array.h"

namespace halo {

NpyType StoredTypeOf(ElementType type);
// True if an array stored with this type can be read as elements of `type`: stored the way halo
// does it, as untyped bytes of the same width, or under the type's own name.
bool IsStoredAs(const NpyType& stored, ElementType type);

// The caller has checked that the types match. Only sizes are checked here.
Array ArrayFrom(const NpyArray& stored, ElementType type);

}  // namespace halo

#endif  // HALO_API_INPUTS_ARRAY_FILE_H_
