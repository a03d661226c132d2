// The buffer assignment of a dumped HloProto: XLA's own memory plan as plain structs, read and
// written without loss. What the plan means, and whether it is good, is decided elsewhere.
#ifndef HALO_PROTO_READ_BUFFER_ASSIGNMENT_PROTO_H_
#define HALO_PROTO_READ_BUFFER_ASSIGNMENT_PROTO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

// Names are views into the bytes that were read. Ids are those of the proto's instructions; see
// ProtoReadResult::instruction_ids.
struct BufferLocation {
  std::string_view computation_name;  // only older dumps have names
  std::string_view instruction_name;
  int64_t instruction_id = 0;
  std::vector<int64_t> shape_index;
  friend bool operator==(const BufferLocation&, const BufferLocation&) = default;
};

struct LogicalBuffer {
  int64_t id = 0, size = 0, color = 0;
  std::optional<BufferLocation> defined_at;
  friend bool operator==(const LogicalBuffer&, const LogicalBuffer&) = default;
};

// `location` holds the same value as the buffer `source_buffer_id`.
struct BufferAlias {
  int64_t source_buffer_id = 0;
  std::optional<BufferLocation> location;
  friend bool operator==(const BufferAlias&, const BufferAlias&) = default;
};

struct AssignedBuffer {
  int64_t logical_buffer_id = 0, offset = 0, size = 0, element_type = 0;
  friend bool operator==(const AssignedBuffer&, const AssignedBuffer&) = default;
};

struct BufferAllocation {
  int64_t index = 0, size = 0, parameter_number = 0, color = 0;
  bool is_thread_local = false, is_tuple = false, is_entry_computation_parameter = false,
       is_constant = false, is_parameter_aliased_with_output = false, maybe_live_out = false;
  std::vector<int64_t> parameter_shape_index;
  std::vector<AssignedBuffer> assigned;
  friend bool operator==(const BufferAllocation&, const BufferAllocation&) = default;
};

struct HeapEvent {
  int64_t kind = 0;  // 0 allocates, 1 frees, 2 shares with `share_with_canonical_id`
  int64_t buffer_id = 0;
  std::string_view computation_name, instruction_name;
  int64_t share_with_canonical_id = 0;
  friend bool operator==(const HeapEvent&, const HeapEvent&) = default;
};

struct HeapTrace {
  std::vector<HeapEvent> events;
  int64_t buffer_allocation_index = 0;
  bool whole_module_simulation = false;
  friend bool operator==(const HeapTrace&, const HeapTrace&) = default;
};

// The buffers of allocation `index` that are live at its peak.
struct PeakBuffers {
  int64_t index = 0;
  std::vector<int64_t> logical_buffer_ids;
  friend bool operator==(const PeakBuffers&, const PeakBuffers&) = default;
};

struct BufferAssignmentData {
  std::vector<LogicalBuffer> logical_buffers;
  std::vector<BufferAlias> buffer_aliases;
  std::vector<BufferAllocation> allocations;
  std::vector<HeapTrace> heap_traces;
  std::vector<PeakBuffers> peak_buffers;
  friend bool operator==(const BufferAssignmentData&, const BufferAssignmentData&) = default;
};

// True if `bytes` begin with what only a BufferAssignmentProto has; works even if the end is
// missing.
bool LooksLikeBufferAssignment(std::string_view bytes);

// Reads as much as possible and reports damage.
BufferAssignmentData ReadBufferAssignmentProto(std::string_view bytes, Diagnostics& diagnostics);
std::string WriteBufferAssignmentProto(const BufferAssignmentData& data);

}  // namespace halo

#endif  // HALO_PROTO_READ_BUFFER_ASSIGNMENT_PROTO_H_
