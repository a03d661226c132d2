// Implements the shared parts of JSON results.
#include "halo/api/document/json_parts.h"

namespace halo {

std::string_view Version() { return HALO_VERSION; }

std::string_view CompressionText(Compression compression) {
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

void InputFields(std::string_view path, FileKind kind, Compression compression,
                 uint64_t stored_bytes, uint64_t bytes, JsonWriter& json) {
  json.Field("path", path)
      .Field("kind", TextOf(kind))
      .Field("compression", CompressionText(compression))
      .Field("stored_bytes", stored_bytes)
      .Field("bytes", bytes);
}

void InputJson(std::string_view path, FileKind kind, Compression compression, uint64_t stored_bytes,
               uint64_t bytes, JsonWriter& json) {
  json.BeginObject();
  InputFields(path, kind, compression, stored_bytes, bytes, json);
  json.EndObject();
}

void InputJson(const Document& document, JsonWriter& json) {
  InputJson(document.path, document.kind, document.compression, document.stored_bytes,
            document.bytes, json);
}

void InputsJson(std::string_view path, JsonWriter& json) {
  json.Key("inputs").BeginArray().BeginObject().Field("path", path).EndObject().EndArray();
}

void InputsJson(const Document& document, JsonWriter& json) {
  json.Key("inputs").BeginArray();
  InputJson(document, json);
  json.EndArray();
}

void DiagnosticJson(std::string_view path, const Diagnostic& diagnostic, JsonWriter& json) {
  json.BeginObject()
      .Field("path", path)
      .Field("code", diagnostic.code.text)
      .Field("severity", diagnostic.severity == Severity::kError ? "error" : "warning")
      .Field("message", diagnostic.message);
  if (diagnostic.location.line != 0) {
    json.Field("line", diagnostic.location.line).Field("column", diagnostic.location.column);
  }
  json.Field("offset", diagnostic.location.offset);
  if (!diagnostic.help.empty()) json.Field("help", diagnostic.help);
  json.EndObject();
}

void ReadingDiagnosticsJson(const Document& document, JsonWriter& json) {
  for (const Diagnostic* each : document.AllDiagnostics()) {
    DiagnosticJson(document.path, *each, json);
  }
}

void DiagnosticsJson(const Document& document, std::span<const Diagnostic> more, JsonWriter& json) {
  json.Key("diagnostics").BeginArray();
  ReadingDiagnosticsJson(document, json);
  for (const Diagnostic& each : more) DiagnosticJson(document.path, each, json);
  json.EndArray();
}

void DiagnosticsJson(std::string_view path, std::span<const Diagnostic> all, JsonWriter& json) {
  json.Key("diagnostics").BeginArray();
  for (const Diagnostic& each : all) DiagnosticJson(path, each, json);
  json.EndArray();
}

std::string ErrorJson(std::string_view command, int exit_code, std::span<const std::string> inputs,
                      std::span<const PathDiagnostic> diagnostics) {
  JsonWriter json;
  BeginJson("halo.error.v1", json);
  json.Field("command", command).Field("exit_code", exit_code);
  json.Key("inputs").BeginArray();
  for (const std::string& path : inputs) {
    json.BeginObject().Field("path", path == "-" ? "<stdin>" : path).EndObject();
  }
  json.EndArray().Key("diagnostics").BeginArray();
  for (const auto& [path, why] : diagnostics) DiagnosticJson(path, why, json);
  json.EndArray().EndObject();
  return std::string(json.view());
}

void IntsJson(std::string_view key, std::span<const int64_t> values, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const int64_t value : values) json.Number(value);
  json.EndArray();
}

}  // namespace halo
