// Puts a buffer assignment into the serialized module that it belongs to, as XLA's own dumps have
// it. The reader of the result decides whether the two belong together.
#ifndef HALO_PROTO_WRITE_ATTACH_ASSIGNMENT_H_
#define HALO_PROTO_WRITE_ATTACH_ASSIGNMENT_H_

#include <string>
#include <string_view>

namespace halo {

// An HloProto with the module of `module`, an HloProto or HloModuleProto, and the encoded
// BufferAssignmentProto. Empty if `module` is neither.
std::string AttachAssignment(std::string_view module, std::string_view assignment);

}  // namespace halo

#endif  // HALO_PROTO_WRITE_ATTACH_ASSIGNMENT_H_
