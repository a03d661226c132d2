// Parameters of the float formats. numeric.h encodes with them.
#ifndef HALO_IR_TYPES_FLOAT_FORMAT_H_
#define HALO_IR_TYPES_FLOAT_FORMAT_H_

#include <cstdint>

#include "halo/ir/types/element_type.h"

namespace halo {

enum class FloatSpecials : uint8_t {
  kIeee,     // top exponent holds inf and NaN
  kFn,       // no inf; all ones is NaN
  kFnuz,     // no inf, no negative zero; that pattern is NaN
  kNone,     // no inf, no NaN
  kExpOnly,  // no sign, no mantissa; all ones is NaN
};

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  FloatSpecials specials;
};

// Float types only.
FloatFormat FloatFormatOf(ElementType type);

}  // namespace halo

#endif  // HALO_IR_TYPES_FLOAT_FORMAT_H_
