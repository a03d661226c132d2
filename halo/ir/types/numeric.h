// How element types encode numbers: bits to double and back, with round-to-nearest-even. Text forms
// follow XLA's, so that what XLA printed reads and prints back the same.
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

// The bits of a NaN with this sign and payload (payload bits beyond the type's are an error);
// without a payload, the type's usual quiet NaN.
std::optional<uint64_t> EncodeNan(ElementType type, bool negative, std::optional<uint64_t> payload);

bool IsNan(ElementType type, uint64_t bits);
uint64_t MaxFiniteBits(ElementType type);

// One number as XLA prints it: as few digits as it tries, inf, nan(0x...) with a payload.
void AppendFloat(ElementType type, uint64_t bits, TextBuffer& out);

// A float attribute as XLA prints it: six significant digits.
void AppendShortFloat(double value, TextBuffer& out);

}  // namespace halo

#endif  // HALO_IR_TYPES_NUMERIC_H_
