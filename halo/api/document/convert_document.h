// Converts a document's module to another form: text in a given style, HloProto or HloModuleProto.
#ifndef HALO_API_DOCUMENT_CONVERT_DOCUMENT_H_
#define HALO_API_DOCUMENT_CONVERT_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "halo/api/document/document.h"
#include "halo/api/document/format.h"

namespace halo {

enum class ConvertTarget : uint8_t { kText, kProto, kModuleProto };

std::optional<ConvertTarget> ConvertTargetFromText(std::string_view text);
// "text", "proto", "module-proto" in the order of the enum.
std::span<const std::string_view> ConvertTargetTexts();
// Determined by the file name's extension, ignoring .gz; nothing if the extension is not known.
std::optional<ConvertTarget> ConvertTargetOfName(std::string_view path);

struct ConvertResult {
  std::string bytes;
  Diagnostics diagnostics;  // what the target cannot express; on an error there are no bytes
};

// `format` applies only to text. A proto holds one module, so a document with several is rejected.
ConvertResult ConvertDocument(ConvertTarget target, const FormatOptions& format,
                              Document& document);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_CONVERT_DOCUMENT_H_
