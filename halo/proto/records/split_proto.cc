// Concatenated parts are a valid message, except that a part of a nested message must not replace
// the parts before it. XLA nests parts in one field only, the module.
#include "halo/proto/records/split_proto.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "halo/proto/records/riegeli.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/proto_diagnostics.h"
#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

SplitMessage MessageOf(std::string_view type) {
  if (type == "xla.HloProto") return SplitMessage::kHlo;
  if (type == "xla.gpu.GpuExecutableProto") return SplitMessage::kExecutable;
  if (type == "xla.ExecutableAndOptionsProto") return SplitMessage::kWrappedExecutable;
  return SplitMessage::kOther;
}

enum class PartKind : uint8_t { kMerge, kField, kUnknown };

struct Part {
  PartKind kind = PartKind::kUnknown;
  int64_t field = 0;  // kField
};

struct Manifest {
  std::string type;
  std::vector<Part> parts;
};

// The one field that a path of one step names; 0 for any other path.
int64_t FieldOfPath(std::string_view message) {
  using Override = pb::FieldOverrideRecord;
  int64_t field = 0;
  int steps = 0;
  bool is_nested = false;
  WireReader record(message);
  while (record.Next()) {
    std::string_view step;
    if (record.field() != Override::k_field_path || !record.Get(step)) continue;
    ++steps;
    WireReader part(step);
    while (part.Next()) {
      if (part.field() == pb::FieldPathPart::k_field_number) {
        part.Get(field);
      } else {
        is_nested = true;
      }
    }
  }
  return steps == 1 && !is_nested && field > 0 && field < (1 << 29) ? field : 0;
}

Part PartOf(std::string_view message) {
  Part part;
  WireReader reader(message);
  while (reader.Next()) {
    std::string_view inner;
    if (!reader.Get(inner)) continue;
    if (reader.field() == pb::SplitRecord::k_proto_merge_record) part.kind = PartKind::kMerge;
    if (reader.field() == pb::SplitRecord::k_field_override_record) {
      part.field = FieldOfPath(inner);
      part.kind = part.field == 0 ? PartKind::kUnknown : PartKind::kField;
    }
  }
  return part;
}

Manifest ManifestOf(std::string_view message) {
  Manifest manifest;
  manifest.parts.reserve(CountFields(message, pb::SplitProtoManifest::k_records));
  WireReader reader(message);
  while (reader.Next()) {
    std::string_view inner;
    if (!reader.Get(inner)) continue;
    if (reader.field() == pb::SplitProtoManifest::k_result_proto_type) manifest.type = inner;
    if (reader.field() == pb::SplitProtoManifest::k_records) {
      manifest.parts.push_back(PartOf(inner));
    }
  }
  return manifest;
}

struct Joined {
  std::string type;
  std::string message;
};

Diagnostic Damaged(const std::string& name, std::string_view why) {
  return MakeBinaryDiagnostic(diag::kProtoRecords, 0,
                              "cannot read the records of " + name + ": " + std::string(why));
}

Result<Joined> Join(std::string_view file, const std::string& name) {
  RecordReader records(file);
  std::string_view record;
  if (!records.Next(record)) {
    return Damaged(name, records.problem().empty() ? "it has none" : records.problem());
  }
  Manifest manifest = ManifestOf(record);
  WireWriter message;
  for (const Part& part : manifest.parts) {
    if (!records.Next(record)) {
      return Damaged(name,
                     records.problem().empty() ? "some of them are missing" : records.problem());
    }
    if (part.kind == PartKind::kMerge) message.Raw(record);
    if (part.kind == PartKind::kField) message.Bytes(static_cast<uint32_t>(part.field), record);
  }
  return Joined{std::move(manifest.type), message.Take()};
}

// Appends every occurrence of a nested message to `nested`, and everything else to `rest`. What
// cannot be read counts as everything else, for the reader of the message to report.
void Separate(std::string_view message, uint32_t field, std::string& nested, WireWriter& rest) {
  WireReader reader(message);
  while (reader.Next()) {
    std::string_view inner;
    if (reader.field() == field && reader.Get(inner)) {
      nested.append(inner);
    } else {
      rest.Raw(reader.whole());
    }
  }
  if (!reader.ok()) rest.Raw(message.substr(reader.position()));
}

// Takes the message, which may be the larger part of the memory, and gives it up early.
std::string ModuleOnce(std::string hlo) {
  std::string module;
  WireWriter out;
  Separate(hlo, pb::HloProto::k_hlo_module, module, out);
  std::string().swap(hlo);
  out.Bytes(pb::HloProto::k_hlo_module, module);
  return out.Take();
}

// The module and the assignment of an executable as an HloProto.
std::string ModuleOfExecutable(std::string_view executable) {
  using Pb = pb::GpuExecutableProto;
  std::string with_config, module, assignment;
  WireWriter ignored, rest;
  Separate(executable, Pb::k_hlo_module_with_config, with_config, rest);
  Separate(with_config, pb::HloModuleProtoWithConfig::k_hlo_module, module, ignored);
  Separate(rest.view(), Pb::k_buffer_assignment, assignment, ignored);
  WireWriter out;
  out.Bytes(pb::HloProto::k_hlo_module, module);
  out.BytesIf(pb::HloProto::k_buffer_assignment, assignment);
  return out.Take();
}

}  // namespace

SplitMessage MessageOfRecords(std::string_view file) {
  RecordReader records(file);
  std::string_view record;
  return records.Next(record) ? MessageOf(ManifestOf(record).type) : SplitMessage::kOther;
}

Result<std::string> JoinSplitModule(std::string_view file, const std::string& name) {
  Result<Joined> joined = Join(file, name);
  if (joined && MessageOf(joined->type) == SplitMessage::kWrappedExecutable) {
    std::string executable;
    WireWriter ignored;
    Separate(joined->message, pb::ExecutableAndOptionsProto::k_serialized_executable, executable,
             ignored);
    if (!LooksLikeRiegeli(executable)) {
      return Damaged(name, "the executable in it is not split into records");
    }
    joined = Join(executable, name);
  }
  if (!joined) return joined.error();
  const SplitMessage holds = MessageOf(joined->type);
  if (holds == SplitMessage::kHlo) return ModuleOnce(std::move(joined->message));
  if (holds == SplitMessage::kExecutable) return ModuleOfExecutable(joined->message);
  return Damaged(name, "they hold " + (joined->type.empty() ? "no message" : joined->type) +
                           ", which is no module");
}

}  // namespace halo
