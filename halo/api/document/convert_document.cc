// Dispatches to the writers.
#include "halo/api/document/convert_document.h"

#include <array>

#include "halo/proto/write/write_proto.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 3> kTargetTexts = {"text", "proto", "module-proto"};

ConvertResult WriteProto(ProtoKind kind, const DocumentModule& module) {
  const ProtoParts& parts = module.proto;
  ProtoWriteOptions options;
  options.kind = kind;
  options.instruction_ids = parts.instruction_ids;
  options.computation_ids = parts.computation_ids;
  options.kept_fields = parts.kept_fields;
  options.buffer_assignment = parts.buffer_assignment;
  options.arguments = parts.arguments;
  options.result = parts.result;
  options.execution_platform = parts.execution_platform;
  ProtoWriteResult written = WriteHloProto(module.module, options);
  return {std::move(written.bytes), std::move(written.diagnostics)};
}

}  // namespace

std::optional<ConvertTarget> ConvertTargetFromText(std::string_view text) {
  for (size_t i = 0; i < kTargetTexts.size(); ++i) {
    if (kTargetTexts[i] == text) return static_cast<ConvertTarget>(i);
  }
  return std::nullopt;
}

std::span<const std::string_view> ConvertTargetTexts() { return kTargetTexts; }

std::optional<ConvertTarget> ConvertTargetOfName(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".pb")) return ConvertTarget::kProto;
  if (path.ends_with(".txt") || path.ends_with(".hlo")) return ConvertTarget::kText;
  return std::nullopt;
}

ConvertResult ConvertDocument(ConvertTarget target, const FormatOptions& format,
                              Document& document) {
  if (target == ConvertTarget::kText) {
    TextBuffer out;
    FormatDocument(format, document, out);
    return {out.str(), {}};
  }
  if (document.modules.size() != 1) {
    ConvertResult refused;
    refused.diagnostics.Add(MakeBinaryDiagnostic(diag::kSecondModule, 0,
                                                 "a proto contains one module, but the file has " +
                                                     std::to_string(document.modules.size())));
    return refused;
  }
  const ProtoKind kind =
      target == ConvertTarget::kProto ? ProtoKind::kHloProto : ProtoKind::kHloModuleProto;
  return WriteProto(kind, document.modules.front());
}

}  // namespace halo
