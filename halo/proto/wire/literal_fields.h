// Which field of LiteralProto holds the elements of a type, and how they are encoded there. Shared
// by the reader and the writer.
#ifndef HALO_PROTO_WIRE_LITERAL_FIELDS_H_
#define HALO_PROTO_WIRE_LITERAL_FIELDS_H_

#include <cstdint>

#include "halo/ir/types/element_type.h"

namespace halo {

enum class LiteralCoding : uint8_t {
  kNone,    // no field can hold this type
  kBytes,   // one string of bytes, little-endian
  kVarint,  // packed varints
  kFixed,   // packed fixed-width numbers, real and imaginary parts alternating
};

struct LiteralField {
  uint32_t number = 0;
  LiteralCoding coding = LiteralCoding::kNone;
  uint8_t fixed_bytes = 0;  // kFixed: 4 or 8
};

LiteralField LiteralFieldOf(ElementType type);

}  // namespace halo

#endif  // HALO_PROTO_WIRE_LITERAL_FIELDS_H_
