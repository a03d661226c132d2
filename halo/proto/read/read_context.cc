// Error reporting for the proto reader.
#include "halo/proto/read/read_context.h"

#include <algorithm>

#include "halo/ir/ir_diagnostics.h"
#include "halo/proto/wire/proto_diagnostics.h"

namespace halo {

bool ProtoContext::Report(DiagCode code, std::string_view where, std::string message) {
  const auto begin = reinterpret_cast<uintptr_t>(file_.data());
  const auto at = reinterpret_cast<uintptr_t>(where.data());
  const uint64_t offset = at >= begin && at <= begin + file_.size() ? at - begin : 0;
  diagnostics.Add(MakeBinaryDiagnostic(code, offset, std::move(message)));
  return false;
}

bool ProtoContext::Check(const WireReader& reader, std::string_view message) {
  const std::string_view where = message.substr(std::min(reader.position(), message.size()));
  switch (reader.fault()) {
    case WireFault::kNone: return true;
    case WireFault::kCutShort:
      return Report(diag::kProtoCutShort, where, "a field runs past the end of its message");
    case WireFault::kMalformed:
      return Report(diag::kProtoMalformed, where, "these bytes are not a protobuf field");
    case WireFault::kTooNested:
      return Report(diag::kTooNested, where, "groups are nested too deeply");
  }
  return false;
}

void ProtoContext::Unknown(std::string_view message_name, const WireReader& reader) {
  std::string_view content;
  // An empty message has no content that could be lost.
  if (reader.Get(content) && content.empty()) return;
  std::string name(message_name);
  name += " field " + std::to_string(reader.field());
  if (!warned_.insert(name).second) return;
  Report(diag::kProtoUnknownField, reader.whole(), name + " is unknown to this version");
}

}  // namespace halo
