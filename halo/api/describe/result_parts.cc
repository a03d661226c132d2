// Codes become texts, so that no reader of a result needs a table of them.
#include "halo/api/describe/result_parts.h"

namespace halo {

std::string_view CompressionText(Compression compression) {
  switch (compression) {
    case Compression::kNone: return "none";
    case Compression::kGzip: return "gzip";
    case Compression::kZstd: return "zstd";
  }
  return "none";
}

v0::InputFile InputOf(const Document& document) {
  return InputOf(document.path, document.kind, document.compression, document.stored_bytes,
                 document.bytes);
}

v0::InputFile InputOf(std::string_view path, FileKind kind, Compression compression,
                      uint64_t stored_bytes, uint64_t bytes) {
  v0::InputFile input;
  input.path = path;
  input.kind = TextOf(kind);
  input.compression = CompressionText(compression);
  input.stored_bytes = stored_bytes;
  input.bytes = bytes;
  return input;
}

v0::InputFile InputOf(std::string_view path) {
  v0::InputFile input;
  input.path = path;
  return input;
}

v0::Diagnostic PublicDiagnostic(const Diagnostic& from, std::string_view path) {
  v0::Diagnostic to;
  to.path = path;
  to.severity = from.severity == Severity::kError ? v0::Severity::kError : v0::Severity::kWarning;
  to.code = from.code.text;
  to.message = from.message;
  to.help = from.help;
  to.offset = from.location.offset;
  to.line = from.location.line;
  to.column = from.location.column;
  to.excerpt = from.excerpt;
  to.excerpt_column = from.excerpt_column;
  return to;
}

void AppendDiagnostics(const Diagnostics& from, std::string_view path,
                       std::vector<v0::Diagnostic>& to) {
  for (const Diagnostic& each : from.all()) to.push_back(PublicDiagnostic(each, path));
}

void AppendReadingDiagnostics(const Document& document, std::vector<v0::Diagnostic>& to) {
  for (const Diagnostic* each : document.AllDiagnostics()) {
    to.push_back(PublicDiagnostic(*each, document.path));
  }
}

}  // namespace halo
