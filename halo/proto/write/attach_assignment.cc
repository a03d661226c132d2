// Copies encoded fields; nothing inside the module is read.
#include "halo/proto/write/attach_assignment.h"

#include "halo/proto/read/read_proto.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/wire.h"

namespace halo {

std::string AttachAssignment(std::string_view module, std::string_view assignment) {
  const auto kind = DetectProtoKind(module);
  WireWriter out;
  if (kind == ProtoKind::kHloModuleProto) {
    out.Bytes(pb::HloProto::k_hlo_module, module);
  } else if (kind == ProtoKind::kHloProto) {
    WireReader reader(module);
    while (reader.Next()) {
      if (reader.field() != pb::HloProto::k_buffer_assignment) out.Raw(reader.whole());
    }
    if (!reader.ok()) return {};
  } else {
    return {};
  }
  out.Bytes(pb::HloProto::k_buffer_assignment, assignment);
  return out.Take();
}

}  // namespace halo
