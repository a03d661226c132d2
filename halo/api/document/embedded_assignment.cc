// Connects the reader of the message with the module that it belongs to.
#include "halo/api/document/embedded_assignment.h"

#include "halo/memory/text/assignment_from_proto.h"
#include "halo/proto/read/buffer_assignment_proto.h"

namespace halo {

bool HasEmbeddedAssignment(const DocumentModule& module) {
  return !module.proto.buffer_assignment.empty();
}

Assignment EmbeddedAssignment(const DocumentModule& module, Diagnostics& diagnostics) {
  const BufferAssignmentData data =
      ReadBufferAssignmentProto(module.proto.buffer_assignment, diagnostics);
  return AssignmentFromProto(data, module.module, module.proto.instruction_ids, diagnostics);
}

}  // namespace halo
