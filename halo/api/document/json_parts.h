// The parts that all JSON results share: version, inputs and diagnostics.
#ifndef HALO_API_DOCUMENT_JSON_PARTS_H_
#define HALO_API_DOCUMENT_JSON_PARTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "halo/api/document/document.h"
#include "halo/base/diagnostics/diagnostic.h"
#include "halo/base/json/json_writer.h"

namespace halo {

std::string_view Version();

std::string_view CompressionText(Compression compression);

// Opens the top-level object: schema and version.
void BeginJson(std::string_view schema, JsonWriter& json);

// The fields of one element of the inputs list, whose object the caller opens and closes.
void InputFields(std::string_view path, FileKind kind, Compression compression,
                 uint64_t stored_bytes, uint64_t bytes, JsonWriter& json);
// One element of the inputs list.
void InputJson(std::string_view path, FileKind kind, Compression compression, uint64_t stored_bytes,
               uint64_t bytes, JsonWriter& json);
void InputJson(const Document& document, JsonWriter& json);

// The inputs list of a result about one folder, archive or file that is not a document.
void InputsJson(std::string_view path, JsonWriter& json);
// The inputs list of a result about one document.
void InputsJson(const Document& document, JsonWriter& json);

void DiagnosticJson(std::string_view path, const Diagnostic& diagnostic, JsonWriter& json);
// Those found when the document was read, as elements of a list the caller opens and closes.
void ReadingDiagnosticsJson(const Document& document, JsonWriter& json);

// The diagnostics list: the document's, then those added during processing.
void DiagnosticsJson(const Document& document, std::span<const Diagnostic> more, JsonWriter& json);

// A diagnostics list about one path.
void DiagnosticsJson(std::string_view path, std::span<const Diagnostic> all, JsonWriter& json);

// What is wrong, with the path that it is about.
using PathDiagnostic = std::pair<std::string, Diagnostic>;
// Schema halo.error.v1: a command that has no result.
std::string ErrorJson(std::string_view command, int exit_code, std::span<const std::string> inputs,
                      std::span<const PathDiagnostic> diagnostics);

void IntsJson(std::string_view key, std::span<const int64_t> values, JsonWriter& json);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_JSON_PARTS_H_
