// One function per message and direction.
#include "halo/proto/read/buffer_assignment_proto.h"

#include "halo/ir/module.h"
#include "halo/proto/read/read_context.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

// Where the buffer is defined, by the number or the name of an instruction, and plain numbers.
bool LooksLikeLogicalBuffer(std::string_view bytes) {
  using Pb = pb::LogicalBufferProto;
  bool is_defined = false;
  WireReader reader(bytes);
  while (reader.Next()) {
    std::string_view inner;
    if (reader.field() == Pb::k_defined_at && reader.Get(inner)) {
      WireReader location(inner);
      while (location.Next()) {
        is_defined |= location.field() == pb::LogicalBufferLocation::k_instruction_id ||
                      location.field() == pb::LogicalBufferLocation::k_instruction_name;
      }
      if (!location.ok()) return false;
    } else if (reader.field() > Pb::k_color || reader.type() != WireType::kVarint) {
      return false;
    }
  }
  return reader.ok() && is_defined;
}

class AssignmentReader {
 public:
  explicit AssignmentReader(ProtoContext& context) : context_(context) {}

  BufferAssignmentData Read(std::string_view bytes) {
    using Pb = pb::BufferAssignmentProto;
    BufferAssignmentData data;
    data.logical_buffers.reserve(CountFields(bytes, Pb::k_logical_buffers));
    data.buffer_aliases.reserve(CountFields(bytes, Pb::k_buffer_aliases));
    data.allocations.reserve(CountFields(bytes, Pb::k_buffer_allocations));
    data.heap_traces.reserve(CountFields(bytes, Pb::k_heap_simulator_traces));
    WireReader r(bytes);
    while (r.Next()) {
      std::string_view inner;
      if (!r.Get(inner)) continue;
      switch (r.field()) {
        case Pb::k_logical_buffers: Read(inner, data.logical_buffers.emplace_back()); break;
        case Pb::k_buffer_aliases: Read(inner, data.buffer_aliases.emplace_back()); break;
        case Pb::k_buffer_allocations: Read(inner, data.allocations.emplace_back()); break;
        case Pb::k_heap_simulator_traces: Read(inner, data.heap_traces.emplace_back()); break;
        case Pb::k_peak_buffers: Read(inner, data.peak_buffers.emplace_back()); break;
        default: context_.Unknown("BufferAssignmentProto", r); break;
      }
    }
    context_.Check(r, bytes);
    return data;
  }

 private:
  void Read(std::string_view bytes, LogicalBuffer& buffer) {
    using Pb = pb::LogicalBufferProto;
    WireReader r(bytes);
    while (r.Next()) {
      std::string_view inner;
      switch (r.field()) {
        case Pb::k_id: r.Get(buffer.id); break;
        case Pb::k_size: r.Get(buffer.size); break;
        case Pb::k_color: r.Get(buffer.color); break;
        case Pb::k_defined_at:
          if (r.Get(inner)) Read(inner, buffer.defined_at.emplace());
          break;
        default: context_.Unknown("LogicalBufferProto", r); break;
      }
    }
    context_.Check(r, bytes);
  }

  void Read(std::string_view bytes, BufferLocation& location) {
    using Pb = pb::LogicalBufferLocation;
    WireReader r(bytes);
    while (r.Next()) {
      switch (r.field()) {
        case Pb::k_computation_name: r.Get(location.computation_name); break;
        case Pb::k_instruction_name: r.Get(location.instruction_name); break;
        case Pb::k_shape_index: r.Append(location.shape_index); break;
        case Pb::k_instruction_id: r.Get(location.instruction_id); break;
        default: context_.Unknown("LogicalBufferProto.Location", r); break;
      }
    }
    context_.Check(r, bytes);
  }

  void Read(std::string_view bytes, BufferAlias& alias) {
    WireReader r(bytes);
    while (r.Next()) {
      std::string_view inner;
      switch (r.field()) {
        case pb::BufferAlias::k_source_buffer_id: r.Get(alias.source_buffer_id); break;
        case pb::BufferAlias::k_location:
          if (r.Get(inner)) Read(inner, alias.location.emplace());
          break;
        default: context_.Unknown("BufferAlias", r); break;
      }
    }
    context_.Check(r, bytes);
  }

  void Read(std::string_view bytes, BufferAllocation& allocation) {
    using Pb = pb::BufferAllocationProto;
    allocation.assigned.reserve(CountFields(bytes, Pb::k_assigned));
    WireReader r(bytes);
    while (r.Next()) {
      std::string_view inner;
      switch (r.field()) {
        case Pb::k_index: r.Get(allocation.index); break;
        case Pb::k_size: r.Get(allocation.size); break;
        case Pb::k_is_thread_local: r.Get(allocation.is_thread_local); break;
        case Pb::k_is_entry_computation_parameter:
          r.Get(allocation.is_entry_computation_parameter);
          break;
        case Pb::k_parameter_number: r.Get(allocation.parameter_number); break;
        case Pb::k_maybe_live_out: r.Get(allocation.maybe_live_out); break;
        case Pb::k_color: r.Get(allocation.color); break;
        case Pb::k_assigned:
          if (r.Get(inner)) Read(inner, allocation.assigned.emplace_back());
          break;
        case Pb::k_parameter_shape_index: r.Append(allocation.parameter_shape_index); break;
        case Pb::k_is_tuple: r.Get(allocation.is_tuple); break;
        case Pb::k_is_constant: r.Get(allocation.is_constant); break;
        case Pb::k_is_parameter_aliased_with_output:
          r.Get(allocation.is_parameter_aliased_with_output);
          break;
        default: context_.Unknown("BufferAllocationProto", r); break;
      }
    }
    context_.Check(r, bytes);
  }

  void Read(std::string_view bytes, AssignedBuffer& assigned) {
    using Pb = pb::AssignedBuffer;
    WireReader r(bytes);
    while (r.Next()) {
      switch (r.field()) {
        case Pb::k_logical_buffer_id: r.Get(assigned.logical_buffer_id); break;
        case Pb::k_offset: r.Get(assigned.offset); break;
        case Pb::k_size: r.Get(assigned.size); break;
        case Pb::k_element_type: r.Get(assigned.element_type); break;
        default: context_.Unknown("BufferAllocationProto.Assigned", r); break;
      }
    }
    context_.Check(r, bytes);
  }

  void Read(std::string_view bytes, HeapTrace& trace) {
    using Pb = pb::HeapSimulatorTrace;
    trace.events.reserve(CountFields(bytes, Pb::k_events));
    WireReader r(bytes);
    while (r.Next()) {
      std::string_view inner;
      switch (r.field()) {
        case Pb::k_events:
          if (r.Get(inner)) Read(inner, trace.events.emplace_back());
          break;
        case Pb::k_whole_module_simulation: r.Get(trace.whole_module_simulation); break;
        case Pb::k_buffer_allocation_index: r.Get(trace.buffer_allocation_index); break;
        default: context_.Unknown("HeapSimulatorTrace", r); break;
      }
    }
    context_.Check(r, bytes);
  }

  void Read(std::string_view bytes, HeapEvent& event) {
    using Pb = pb::HeapEvent;
    WireReader r(bytes);
    while (r.Next()) {
      switch (r.field()) {
        case Pb::k_kind: r.Get(event.kind); break;
        case Pb::k_buffer_id: r.Get(event.buffer_id); break;
        case Pb::k_computation_name: r.Get(event.computation_name); break;
        case Pb::k_instruction_name: r.Get(event.instruction_name); break;
        case Pb::k_share_with_canonical_id: r.Get(event.share_with_canonical_id); break;
        default: context_.Unknown("HeapSimulatorTrace.Event", r); break;
      }
    }
    context_.Check(r, bytes);
  }

  void Read(std::string_view bytes, PeakBuffers& peak) {
    WireReader r(bytes);
    while (r.Next()) {
      switch (r.field()) {
        case pb::PeakBuffers::k_index: r.Get(peak.index); break;
        case pb::PeakBuffers::k_logical_buffer_ids: r.Append(peak.logical_buffer_ids); break;
        default: context_.Unknown("PeakBuffers", r); break;
      }
    }
    context_.Check(r, bytes);
  }

  ProtoContext& context_;
};

void WriteLocation(uint32_t field, const BufferLocation& location, WireWriter& out) {
  using Pb = pb::LogicalBufferLocation;
  const size_t mark = out.Begin(field);
  out.BytesIf(Pb::k_computation_name, location.computation_name);
  out.BytesIf(Pb::k_instruction_name, location.instruction_name);
  out.PackedInts(Pb::k_shape_index, location.shape_index);
  out.IntIf(Pb::k_instruction_id, location.instruction_id);
  out.End(mark);
}

void WriteAllocation(const BufferAllocation& allocation, WireWriter& out) {
  using Pb = pb::BufferAllocationProto;
  out.IntIf(Pb::k_index, allocation.index);
  out.IntIf(Pb::k_size, allocation.size);
  out.BoolIf(Pb::k_is_thread_local, allocation.is_thread_local);
  out.BoolIf(Pb::k_is_entry_computation_parameter, allocation.is_entry_computation_parameter);
  out.IntIf(Pb::k_parameter_number, allocation.parameter_number);
  out.BoolIf(Pb::k_maybe_live_out, allocation.maybe_live_out);
  out.IntIf(Pb::k_color, allocation.color);
  for (const AssignedBuffer& assigned : allocation.assigned) {
    const size_t mark = out.Begin(Pb::k_assigned);
    out.IntIf(pb::AssignedBuffer::k_logical_buffer_id, assigned.logical_buffer_id);
    out.IntIf(pb::AssignedBuffer::k_offset, assigned.offset);
    out.IntIf(pb::AssignedBuffer::k_size, assigned.size);
    out.IntIf(pb::AssignedBuffer::k_element_type, assigned.element_type);
    out.End(mark);
  }
  out.PackedInts(Pb::k_parameter_shape_index, allocation.parameter_shape_index);
  out.BoolIf(Pb::k_is_tuple, allocation.is_tuple);
  out.BoolIf(Pb::k_is_constant, allocation.is_constant);
  out.BoolIf(Pb::k_is_parameter_aliased_with_output, allocation.is_parameter_aliased_with_output);
}

void WriteTrace(const HeapTrace& trace, WireWriter& out) {
  for (const HeapEvent& event : trace.events) {
    const size_t mark = out.Begin(pb::HeapSimulatorTrace::k_events);
    out.IntIf(pb::HeapEvent::k_kind, event.kind);
    out.IntIf(pb::HeapEvent::k_buffer_id, event.buffer_id);
    out.BytesIf(pb::HeapEvent::k_computation_name, event.computation_name);
    out.BytesIf(pb::HeapEvent::k_instruction_name, event.instruction_name);
    out.IntIf(pb::HeapEvent::k_share_with_canonical_id, event.share_with_canonical_id);
    out.End(mark);
  }
  out.BoolIf(pb::HeapSimulatorTrace::k_whole_module_simulation, trace.whole_module_simulation);
  out.IntIf(pb::HeapSimulatorTrace::k_buffer_allocation_index, trace.buffer_allocation_index);
}

}  // namespace

bool LooksLikeBufferAssignment(std::string_view bytes) {
  using Pb = pb::BufferAssignmentProto;
  WireReader reader(bytes);
  std::string_view first;
  if (!reader.Next() || reader.field() != Pb::k_logical_buffers || !reader.Get(first)) return false;
  if (!LooksLikeLogicalBuffer(first)) return false;
  // What follows has the fields of this message; a few of them tell.
  constexpr int kEnough = 64;
  for (int i = 0; i < kEnough && reader.Next(); ++i) {
    std::string_view inner;
    if (reader.field() > Pb::k_peak_buffers || !reader.Get(inner)) return false;
    if (reader.field() == Pb::k_logical_buffers && !LooksLikeLogicalBuffer(inner)) return false;
  }
  return reader.fault() != WireFault::kMalformed;
}

BufferAssignmentData ReadBufferAssignmentProto(std::string_view bytes, Diagnostics& diagnostics) {
  Module unused;
  ProtoContext context(bytes, unused, diagnostics);
  return AssignmentReader(context).Read(bytes);
}

std::string WriteBufferAssignmentProto(const BufferAssignmentData& data) {
  using Pb = pb::BufferAssignmentProto;
  WireWriter out;
  for (const LogicalBuffer& buffer : data.logical_buffers) {
    const size_t mark = out.Begin(Pb::k_logical_buffers);
    out.IntIf(pb::LogicalBufferProto::k_id, buffer.id);
    out.IntIf(pb::LogicalBufferProto::k_size, buffer.size);
    if (buffer.defined_at) {
      WriteLocation(pb::LogicalBufferProto::k_defined_at, *buffer.defined_at, out);
    }
    out.IntIf(pb::LogicalBufferProto::k_color, buffer.color);
    out.End(mark);
  }
  for (const BufferAlias& alias : data.buffer_aliases) {
    const size_t mark = out.Begin(Pb::k_buffer_aliases);
    out.IntIf(pb::BufferAlias::k_source_buffer_id, alias.source_buffer_id);
    if (alias.location) WriteLocation(pb::BufferAlias::k_location, *alias.location, out);
    out.End(mark);
  }
  for (const BufferAllocation& allocation : data.allocations) {
    const size_t mark = out.Begin(Pb::k_buffer_allocations);
    WriteAllocation(allocation, out);
    out.End(mark);
  }
  for (const HeapTrace& trace : data.heap_traces) {
    const size_t mark = out.Begin(Pb::k_heap_simulator_traces);
    WriteTrace(trace, out);
    out.End(mark);
  }
  for (const PeakBuffers& peak : data.peak_buffers) {
    const size_t mark = out.Begin(Pb::k_peak_buffers);
    out.IntIf(pb::PeakBuffers::k_index, peak.index);
    out.PackedInts(pb::PeakBuffers::k_logical_buffer_ids, peak.logical_buffer_ids);
    out.End(mark);
  }
  return out.Take();
}

}  // namespace halo
