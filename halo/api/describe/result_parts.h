// The parts that all results share, from what the layers below have: files and diagnostics.
#ifndef HALO_API_DESCRIBE_RESULT_PARTS_H_
#define HALO_API_DESCRIBE_RESULT_PARTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/base/diagnostics/diagnostic.h"
#include "haloscope/parts.h"

namespace halo {

std::string_view CompressionText(Compression compression);

v0::InputFile InputOf(const Document& document);
// Of results that outlive their documents.
v0::InputFile InputOf(std::string_view path, FileKind kind, Compression compression,
                      uint64_t stored_bytes, uint64_t bytes);
// A folder, an archive or a file that is not a document.
v0::InputFile InputOf(std::string_view path);

v0::Diagnostic PublicDiagnostic(const Diagnostic& from, std::string_view path);
void AppendDiagnostics(const Diagnostics& from, std::string_view path,
                       std::vector<v0::Diagnostic>& to);
// Those found when the document was read.
void AppendReadingDiagnostics(const Document& document, std::vector<v0::Diagnostic>& to);

}  // namespace halo

#endif  // HALO_API_DESCRIBE_RESULT_PARTS_H_
