// Reads protobuf dumps into a Module: HloProto, a bare HloModuleProto, or an HloSnapshot with
// arguments and result. The Module equals the one that the text reader would build from the same
// program's text.
#ifndef HALO_PROTO_READ_READ_PROTO_H_
#define HALO_PROTO_READ_READ_PROTO_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/ir/module.h"

namespace halo {

enum class ProtoKind : uint8_t { kHloProto, kHloModuleProto, kHloSnapshot };

std::string_view TextOf(ProtoKind kind);  // "HloProto"

// Which message `bytes` holds, by its structure; works even if the end is missing.
std::optional<ProtoKind> DetectProtoKind(std::string_view bytes);

struct ProtoReadOptions {
  std::optional<ProtoKind> kind;  // nullopt: detect it
  // TPU dumps have each backend_config's JSON sorted in the text but unsorted in the proto; this
  // makes the two agree.
  bool sort_configs = false;
  // False drops stack frames. Protos had them before December 2025, but text did not show them.
  bool stack_frames = true;
};

// Views point into the bytes that were read.
struct ProtoReadResult {
  Module module;
  Diagnostics diagnostics;
  ProtoKind kind = ProtoKind::kHloProto;
  std::string_view buffer_assignment;  // the encoded BufferAssignmentProto; empty if there is none
  std::vector<int64_t> instruction_ids;  // by InstId: the id of each in the file
  std::vector<int64_t> computation_ids;  // by CompId
  // Contents of the module's proto that a Module cannot represent (device assignment, shardings of
  // parameters, profile information, ...), encoded, so that they can be written back.
  std::vector<std::string_view> kept_fields;
  // The values of a snapshot, in the module's literals.
  std::vector<LiteralId> arguments;
  LiteralId result;
  std::string_view execution_platform;
};

ProtoReadResult ReadHloProto(std::string_view bytes, const ProtoReadOptions& options = {});

}  // namespace halo

#endif  // HALO_PROTO_READ_READ_PROTO_H_
