// How element types encode numbers: bits to double and back, with round-to-nearest-even. The text
// forms follow XLA's, so that XLA's output reads and prints back unchanged.
#ifndef HALO_IR_TYPES_NUMERIC_H_
#define HALO_IR_TYPES_NUMERIC_H_

#include <cstdint>
#include <optional>

#include "halo/base/strings/text_buffer.h"
#include "halo/ir/types/element_type.h"

namespace halo {

// Float types only. NaN payloads are not part of the double; see NanPayload.
double DecodeFloat(ElementType type, uint64_t bits);
uint64_t EncodeFloat(ElementType type, double value);

// The bits of a NaN with this sign and payload. Payload bits that the type lacks are an error.
// Without a payload, the type's usual quiet NaN.
std::optional<uint64_t> EncodeNan(ElementType type, bool negative, std::optional<uint64_t> payload);

bool IsNan(ElementType type, uint64_t bits);
uint64_t MaxFiniteBits(ElementType type);

// One number as XLA prints it: the fewest digits that XLA would use, inf, nan(0x...) with a
// payload.
void AppendFloat(ElementType type, uint64_t bits, TextBuffer& out);

// A float attribute as XLA prints it: six significant digits.
void AppendShortFloat(double value, TextBuffer& out);

}  // namespace halo

#endif  // HALO_IR_TYPES_NUMERIC_H_
