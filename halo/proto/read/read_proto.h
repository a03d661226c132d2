// Protobuf dumps to a Module: HloProto, a bare HloModuleProto, or an HloSnapshot with arguments and
// result. The Module is the one the text reader would make of the same program's text.
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

// Which message `bytes` holds, judged by its structure; also if its end is missing.
std::optional<ProtoKind> DetectProtoKind(std::string_view bytes);

struct ProtoReadOptions {
  std::optional<ProtoKind> kind;  // not given: detected
  // TPU dumps show each backend_config's JSON sorted in the text and unsorted in the proto; this
  // makes the two agree.
  bool sort_configs = false;
  // False drops stack frames, which text did not show before December 2025 though protos had them.
  bool stack_frames = true;
};

// Views point into the bytes that were read.
struct ProtoReadResult {
  Module module;
  Diagnostics diagnostics;
  ProtoKind kind = ProtoKind::kHloProto;
  std::string_view buffer_assignment;  // the encoded BufferAssignmentProto; empty if there is none
  std::vector<int64_t> instruction_ids;  // by InstId: the id each had in the file
  std::vector<int64_t> computation_ids;  // by CompId
  // What the module's proto says beyond what a Module holds (device assignment, shardings of
  // parameters, profile information, ...), encoded, to be written back.
  std::vector<std::string_view> kept_fields;
  // A snapshot's values, in the module's literals.
  std::vector<LiteralId> arguments;
  LiteralId result;
  std::string_view execution_platform;
};

ProtoReadResult ReadHloProto(std::string_view bytes, const ProtoReadOptions& options = {});

}  // namespace halo

#endif  // HALO_PROTO_READ_READ_PROTO_H_
