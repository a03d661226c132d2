// Writes a Module as protobuf: an HloModuleProto that XLA loads and prints as the module's text,
// alone or inside an HloProto or HloSnapshot. What text leaves implicit is filled in (layouts, ids,
// wrapped computations of async short forms); what a proto cannot represent is reported.
#ifndef HALO_PROTO_WRITE_WRITE_PROTO_H_
#define HALO_PROTO_WRITE_WRITE_PROTO_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/ir/module.h"
#include "halo/proto/read/read_proto.h"

namespace halo {

struct ProtoWriteOptions {
  ProtoKind kind = ProtoKind::kHloProto;
  // From ProtoReadResult, to write a dump back: ids by InstId and CompId, so that a buffer
  // assignment still matches, and fields that a Module cannot represent.
  std::span<const int64_t> instruction_ids;
  std::span<const int64_t> computation_ids;
  std::span<const std::string_view> kept_fields;
  std::string_view buffer_assignment;
  // The values of an HloSnapshot.
  std::span<const LiteralId> arguments;
  LiteralId result;
  std::string_view execution_platform;
};

struct ProtoWriteResult {
  std::string bytes;
  Diagnostics diagnostics;
};

ProtoWriteResult WriteHloProto(const Module& module, const ProtoWriteOptions& options = {});

}  // namespace halo

#endif  // HALO_PROTO_WRITE_WRITE_PROTO_H_
