// Field numbers by name, from fields.def: pb::ShapeProto::k_dimensions is 3.
#ifndef HALO_PROTO_WIRE_FIELDS_H_
#define HALO_PROTO_WIRE_FIELDS_H_

#include <cstdint>

namespace halo::pb {

#define HALO_MESSAGE(message) \
  struct message {            \
    enum Field : uint32_t {
#define HALO_FIELD(name, number, count, type, target) k_##name = (number),
#define HALO_MESSAGE_END \
  }                      \
  ;                      \
  }                      \
  ;
#include "halo/proto/wire/fields.def"

}  // namespace halo::pb

#endif  // HALO_PROTO_WIRE_FIELDS_H_
