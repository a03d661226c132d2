// Reads the contents of a module's first line and its stack tables.
#include "halo/ir/attributes/aliasing.h"
#include "halo/proto/read/read_attributes.h"
#include "halo/proto/read/read_module_proto.h"
#include "halo/proto/wire/fields.h"

namespace halo {

void ModuleReader::ReadHeader() {
  std::vector<Attr> attrs;
  if (IsPresent(schedule_)) attrs.push_back(Attr{AttrKey::k_is_scheduled, AttrForm::kPlain, 0, 1});
  AddAliases(attrs);
  AddDonors(attrs);
  AddProgramLayout(attrs);
  AddDeviceCounts(attrs);
  if (const auto dict = ReadFrontendAttributes(context_, frontend_attributes_)) {
    attrs.push_back(*dict);
  }
  module_.attrs = module_.Attrs(attrs);
}

void ModuleReader::AddAliases(std::vector<Attr>& attrs) {
  using pb::AliasEntryProto;
  std::vector<AliasEntry> entries;
  std::string_view previous;
  WireReader r(aliases_);
  while (r.Next()) {
    std::string_view proto;
    if (r.field() != pb::HloInputOutputAliasProto::k_entries || !r.Get(proto)) continue;
    if (proto == previous && !entries.empty()) continue;
    previous = proto;
    AliasEntry& entry = entries.emplace_back();
    int64_t kind = 0;
    WireReader fields(proto);
    while (fields.Next()) {
      switch (fields.field()) {
        case AliasEntryProto::k_output_shape_index: fields.Append(entry.output_index); break;
        case AliasEntryProto::k_parameter_number: fields.Get(entry.number); break;
        case AliasEntryProto::k_parameter_shape_index: fields.Append(entry.input_index); break;
        case AliasEntryProto::k_kind: fields.Get(kind); break;
        default: break;
      }
    }
    context_.Check(fields, proto);
    entry.kind = kind == 2 ? AliasKind::kMust : AliasKind::kMay;
  }
  context_.Check(r, aliases_);
  if (entries.empty()) return;
  attrs.push_back(module_.MakeInts(AttrKey::k_input_output_alias, EncodeAliases(entries)));
}

void ModuleReader::AddDonors(std::vector<Attr>& attrs) {
  using pb::BufferDonorEntryProto;
  std::vector<DonorEntry> entries;
  std::string_view previous;
  WireReader r(donors_);
  while (r.Next()) {
    std::string_view proto;
    if (r.field() != pb::HloBufferDonorProto::k_entries || !r.Get(proto)) continue;
    if (proto == previous && !entries.empty()) continue;
    previous = proto;
    DonorEntry& entry = entries.emplace_back();
    WireReader fields(proto);
    while (fields.Next()) {
      if (fields.field() == BufferDonorEntryProto::k_parameter_number) fields.Get(entry.number);
      if (fields.field() == BufferDonorEntryProto::k_parameter_shape_index) {
        fields.Append(entry.index);
      }
    }
    context_.Check(fields, proto);
  }
  context_.Check(r, donors_);
  if (entries.empty()) return;
  attrs.push_back(module_.MakeInts(AttrKey::k_buffer_donor, EncodeDonors(entries)));
}

void ModuleReader::AddProgramLayout(std::vector<Attr>& attrs) {
  if (!IsPresent(program_shape_)) return;
  std::vector<int64_t> shapes = {-1};
  bool good = true;
  WireReader r(program_shape_);
  while (r.Next()) {
    std::string_view proto;
    ShapeId shape;
    if (r.field() == pb::ProgramShapeProto::k_parameters && r.Get(proto)) {
      good = context_.ReadShape(proto, shape) && good;
      shapes.push_back(shape.value);
    }
    if (r.field() == pb::ProgramShapeProto::k_result && r.Get(proto)) {
      good = context_.ReadShape(proto, shape) && good;
      shapes[0] = shape.value;
    }
  }
  if (!context_.Check(r, program_shape_) || !good || shapes[0] < 0) return;
  attrs.push_back(module_.MakeInts(AttrKey::k_entry_computation_layout, shapes));
}

void ModuleReader::AddDeviceCounts(std::vector<Attr>& attrs) {
  int64_t replicas = 1, partitions = 1;
  WireReader r(device_assignment_);
  while (r.Next()) {
    if (r.field() == pb::DeviceAssignmentProto::k_replica_count) r.Get(replicas);
    if (r.field() == pb::DeviceAssignmentProto::k_computation_count) r.Get(partitions);
  }
  context_.Check(r, device_assignment_);
  if (replicas > 1) attrs.push_back(module_.MakeInt(AttrKey::k_replica_count, replicas));
  if (partitions > 1) attrs.push_back(module_.MakeInt(AttrKey::k_num_partitions, partitions));
}

bool ModuleReader::ReadStackTables(std::string_view proto) {
  using pb::StackFrameIndexProto;
  StackTables& stack = module_.stack;
  stack.file_locations.reserve(CountFields(proto, StackFrameIndexProto::k_file_locations));
  stack.stack_frames.reserve(CountFields(proto, StackFrameIndexProto::k_stack_frames));
  WireReader r(proto);
  while (r.Next()) {
    std::string_view row;
    if (!r.Get(row)) continue;
    WireReader fields(row);
    switch (r.field()) {
      case StackFrameIndexProto::k_file_names: stack.file_names.push_back(module_.Str(row)); break;
      case StackFrameIndexProto::k_function_names:
        stack.function_names.push_back(module_.Str(row));
        break;
      case StackFrameIndexProto::k_file_locations: {
        using Pb = pb::FileLocationProto;
        FileLocation& location = stack.file_locations.emplace_back();
        while (fields.Next()) {
          switch (fields.field()) {
            case Pb::k_file_name_id: fields.Get(location.file_name_id); break;
            case Pb::k_function_name_id: fields.Get(location.function_name_id); break;
            case Pb::k_line: fields.Get(location.line); break;
            case Pb::k_end_line: fields.Get(location.end_line); break;
            case Pb::k_column: fields.Get(location.column); break;
            case Pb::k_end_column: fields.Get(location.end_column); break;
            default: break;
          }
        }
        break;
      }
      case StackFrameIndexProto::k_stack_frames: {
        StackFrame& frame = stack.stack_frames.emplace_back();
        while (fields.Next()) {
          if (fields.field() == pb::StackFrameProto::k_file_location_id) {
            fields.Get(frame.file_location_id);
          }
          if (fields.field() == pb::StackFrameProto::k_parent_frame_id) {
            fields.Get(frame.parent_frame_id);
          }
        }
        // Text counts parents from 1; the proto counts from 0.
        frame.parent_frame_id =
            static_cast<int64_t>(static_cast<uint64_t>(frame.parent_frame_id) + 1);
        break;
      }
      default: break;
    }
    if (!context_.Check(fields, row) && r.field() >= StackFrameIndexProto::k_file_locations) {
      return false;
    }
  }
  return context_.Check(r, proto);
}

}  // namespace halo
