// The buffer assignment inside an HloProto as an Assignment, with names and shapes from its module.
// The message has no positions, uses, live ranges or pages: a value's only position is where it is
// defined, and an output's shape is known only if the root, or what it bitcasts, defines it.
#ifndef HALO_MEMORY_TEXT_ASSIGNMENT_FROM_PROTO_H_
#define HALO_MEMORY_TEXT_ASSIGNMENT_FROM_PROTO_H_

#include <cstdint>
#include <span>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/ir/module.h"
#include "halo/memory/model/assignment.h"
#include "halo/proto/read/buffer_assignment_proto.h"

namespace halo {

// `instruction_ids` are ProtoReadResult's. Entries that refer to nothing in the module are reported
// and skipped.
Assignment AssignmentFromProto(const BufferAssignmentData& data, const Module& module,
                               std::span<const int64_t> instruction_ids, Diagnostics& diagnostics);

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_ASSIGNMENT_FROM_PROTO_H_
