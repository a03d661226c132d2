// Module to protobuf: an HloModuleProto that XLA loads and prints as the module's text, alone or
// inside an HloProto or HloSnapshot. What text leaves to be understood is filled in (layouts, ids,
// wrapped computations of async short forms); what a proto cannot say is reported.
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
  // As ProtoReadResult gives them, to write a dump back: ids by InstId and CompId, so that a buffer
  // assignment still fits, and fields that a Module does not hold.
  std::span<const int64_t> instruction_ids;
  std::span<const int64_t> computation_ids;
  std::span<const std::string_view> kept_fields;
  std::string_view buffer_assignment;
  // An HloSnapshot's values.
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
