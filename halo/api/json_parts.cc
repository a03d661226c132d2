// Shared pieces of JSON answers.
#include "halo/api/json_parts.h"

namespace halo {

std::string_view Version() { return HALO_VERSION; }

std::string_view TextOf(Compression compression) {
  switch (compression) {
    case Compression::kNone: return "none";
    case Compression::kGzip: return "gzip";
    case Compression::kZstd: return "zstd";
  }
  return "none";
}

void BeginJson(std::string_view schema, JsonWriter& json) {
  json.BeginObject().Field("schema", schema).Field("halo_version", Version());
}

void InputJson(std::string_view path, FileKind kind, Compression compression, uint64_t stored_bytes,
               uint64_t bytes, JsonWriter& json) {
  json.BeginObject()
      .Field("path", path)
      .Field("kind", TextOf(kind))
      .Field("compression", TextOf(compression))
      .Field("stored_bytes", stored_bytes)
      .Field("bytes", bytes)
      .EndObject();
}

void DiagnosticJson(std::string_view path, const Diagnostic& diagnostic, JsonWriter& json) {
  json.BeginObject()
      .Field("path", path)
      .Field("code", DiagCodeText(diagnostic.code))
      .Field("severity", diagnostic.severity == Severity::kError ? "error" : "warning")
      .Field("message", diagnostic.message);
  if (diagnostic.place.line != 0) {
    json.Field("line", diagnostic.place.line).Field("column", diagnostic.place.column);
  }
  json.Field("offset", diagnostic.place.offset);
  if (!diagnostic.help.empty()) json.Field("help", diagnostic.help);
  json.EndObject();
}

}  // namespace halo
