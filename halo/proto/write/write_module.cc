// Writes computations, schedule, header and stack tables as an HloModuleProto.
#include "halo/ir/attributes/aliasing.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/write/write_context.h"

namespace halo {
namespace {

using ModulePb = pb::HloModuleProto;

}  // namespace

void ProtoWriter::WriteModule(WireWriter& out) {
  OrderComputations();
  insts_.resize(module_.comps.size());
  for (const CompId comp : comps_) OrderInstructions(comp);
  GiveIds();
  GiveNames();
  CompId entry = module_.entry;
  if (!entry.valid() && !comps_.empty()) entry = comps_.back();
  std::string name(module_.text(module_.name));
  // Text without a header does not name the module; XLA then names it after its entry.
  if (name.empty() && entry.valid()) name = "module_" + std::string(NameOf(entry));
  out.BytesIf(ModulePb::k_name, name);
  for (const CompId comp : comps_) {
    const size_t mark = out.Begin(ModulePb::k_computations);
    WriteComputation(comp, out);
    out.End(mark);
  }
  if (entry.valid()) {
    out.Bytes(ModulePb::k_entry_computation_name, NameOf(entry));
    out.Int(ModulePb::k_entry_computation_id, comp_ids_[entry.index()]);
    WriteProgramShape(ModulePb::k_host_program_shape, module_.comp(entry), true, out);
  }
  if (module_.is_scheduled()) WriteSchedule(out);
  WriteHeader(out);
  WriteStackTables(out);
  for (const std::string_view field : options_.kept_fields) out.Raw(field);
}

void ProtoWriter::WriteComputation(CompId id, WireWriter& out) {
  using pb::HloComputationProto;
  const Computation& comp = module_.comp(id);
  out.Bytes(HloComputationProto::k_name, NameOf(id));
  for (const InstId inst : insts_[id.index()]) {
    const size_t mark = out.Begin(HloComputationProto::k_instructions);
    WriteInstruction(inst, out);
    out.End(mark);
  }
  WriteProgramShape(HloComputationProto::k_program_shape, comp, false, out);
  out.Int(HloComputationProto::k_id, comp_ids_[id.index()]);
  if (comp.root.valid()) out.Int(HloComputationProto::k_root_id, inst_ids_[comp.root.index()]);
  out.BoolIf(HloComputationProto::k_is_fusion_computation, is_fusion_[id.index()]);
  if (comp.execution_thread.valid()) {
    out.BytesIf(HloComputationProto::k_execution_thread, module_.text(comp.execution_thread));
  }
}

// The shapes of a computation's parameters and result; the header may give those of the entry.
void ProtoWriter::WriteProgramShape(uint32_t field, const Computation& comp, bool is_host,
                                    WireWriter& out) {
  using pb::ProgramShapeProto;
  std::vector<InstId> parameters;
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    const Inst& inst = module_.insts[i];
    if (inst.opcode != Opcode::kParameter || inst.extra >= comp.count) continue;
    if (inst.extra >= parameters.size()) parameters.resize(inst.extra + 1);
    parameters[inst.extra] = InstId(i);
  }
  std::vector<ShapeId> shapes;
  for (const InstId parameter : parameters) {
    shapes.push_back(parameter.valid() ? module_.inst(parameter).shape : ShapeId{});
  }
  ShapeId result = comp.root.valid() ? module_.inst(comp.root).shape : ShapeId{};
  const Attr* given =
      is_host ? module_.Find(module_.attrs, AttrKey::k_entry_computation_layout) : nullptr;
  if (given != nullptr) {
    const auto list = module_.list(given->value);
    if (list.size() == shapes.size() + 1) {
      result = ShapeId(static_cast<uint32_t>(list[0]));
      for (size_t i = 0; i < shapes.size(); ++i) {
        shapes[i] = ShapeId(static_cast<uint32_t>(list[i + 1]));
      }
    }
  }
  const size_t mark = out.Begin(field);
  for (const ShapeId shape : shapes) {
    if (shape.valid()) WriteShape(ProgramShapeProto::k_parameters, shape, out);
  }
  if (result.valid()) WriteShape(ProgramShapeProto::k_result, result, out);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].valid()) continue;
    if (is_host) {
      out.Bytes(ProgramShapeProto::k_parameter_names, "p" + std::to_string(i));
    } else {
      out.Bytes(ProgramShapeProto::k_parameter_names, NameOf(parameters[i]));
    }
  }
  out.End(mark);
}

// Everything except the bodies of fusions runs in the order of the text.
void ProtoWriter::WriteSchedule(WireWriter& out) {
  const size_t mark = out.Begin(ModulePb::k_schedule);
  for (const CompId id : comps_) {
    if (is_fusion_[id.index()]) continue;
    const Computation& comp = module_.comp(id);
    std::vector<int64_t> ids;
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) ids.push_back(inst_ids_[i]);
    const size_t entry = out.Begin(pb::HloScheduleProto::k_sequences);
    out.Int(pb::ScheduleEntry::k_key, comp_ids_[id.index()]);
    const size_t sequence = out.Begin(pb::ScheduleEntry::k_value);
    out.PackedInts(pb::InstructionSequence::k_instruction_ids, ids);
    out.End(sequence);
    out.End(entry);
  }
  out.End(mark);
}

void ProtoWriter::WriteHeader(WireWriter& out) {
  const bool has_kept = !options_.kept_fields.empty();
  for (const Attr& attr : module_.attrs_of(module_.attrs)) {
    switch (attr.key) {
      case AttrKey::k_is_scheduled:
      case AttrKey::k_entry_computation_layout: break;
      case AttrKey::k_input_output_alias: {
        using pb::AliasEntryProto;
        const size_t mark = out.Begin(ModulePb::k_input_output_alias);
        for (const AliasEntry& entry : DecodeAliases(module_.list(attr.value))) {
          const size_t inner = out.Begin(pb::HloInputOutputAliasProto::k_entries);
          out.PackedInts(AliasEntryProto::k_output_shape_index, entry.output_index);
          out.IntIf(AliasEntryProto::k_parameter_number, entry.number);
          out.PackedInts(AliasEntryProto::k_parameter_shape_index, entry.input_index);
          out.Int(AliasEntryProto::k_kind, entry.kind == AliasKind::kMust ? 2 : 1);
          out.End(inner);
        }
        out.End(mark);
        break;
      }
      case AttrKey::k_buffer_donor: {
        using pb::BufferDonorEntryProto;
        const size_t mark = out.Begin(ModulePb::k_buffer_donor);
        for (const DonorEntry& entry : DecodeDonors(module_.list(attr.value))) {
          const size_t inner = out.Begin(pb::HloBufferDonorProto::k_entries);
          out.IntIf(BufferDonorEntryProto::k_parameter_number, entry.number);
          out.PackedInts(BufferDonorEntryProto::k_parameter_shape_index, entry.index);
          out.End(inner);
        }
        out.End(mark);
        break;
      }
      case AttrKey::k_frontend_attributes:
        WriteDict(ModulePb::k_frontend_attributes, attr, out);
        break;
      case AttrKey::k_replica_count:
      case AttrKey::k_num_partitions:
        // A proto has them only as part of a device assignment.
        if (!has_kept) Omit("module attribute '" + std::string(TextOf(attr.key)) + "'");
        break;
      default: Omit("module attribute '" + std::string(TextOf(attr.key)) + "'"); break;
    }
  }
}

void ProtoWriter::WriteStackTables(WireWriter& out) {
  using pb::FileLocationProto;
  using pb::StackFrameIndexProto;
  const StackTables& stack = module_.stack;
  if (stack.empty()) return;
  const size_t mark = out.Begin(ModulePb::k_stack_frame_index);
  for (const StrId name : stack.file_names) {
    out.Bytes(StackFrameIndexProto::k_file_names, module_.text(name));
  }
  for (const StrId name : stack.function_names) {
    out.Bytes(StackFrameIndexProto::k_function_names, module_.text(name));
  }
  for (const FileLocation& location : stack.file_locations) {
    const size_t inner = out.Begin(StackFrameIndexProto::k_file_locations);
    out.IntIf(FileLocationProto::k_file_name_id, location.file_name_id);
    out.IntIf(FileLocationProto::k_function_name_id, location.function_name_id);
    out.IntIf(FileLocationProto::k_line, location.line);
    out.IntIf(FileLocationProto::k_column, location.column);
    out.IntIf(FileLocationProto::k_end_line, location.end_line);
    out.IntIf(FileLocationProto::k_end_column, location.end_column);
    out.End(inner);
  }
  for (const StackFrame& frame : stack.stack_frames) {
    const size_t inner = out.Begin(StackFrameIndexProto::k_stack_frames);
    out.IntIf(pb::StackFrameProto::k_file_location_id, frame.file_location_id);
    // Text counts parents from 1; the proto counts from 0.
    out.IntIf(pb::StackFrameProto::k_parent_frame_id,
              static_cast<int64_t>(static_cast<uint64_t>(frame.parent_frame_id) - 1));
    out.End(inner);
  }
  out.End(mark);
}

}  // namespace halo
