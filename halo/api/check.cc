// Opening a file for its diagnostics only.
#include "halo/api/check.h"

#include "halo/api/json_parts.h"
#include "halo/base/json_writer.h"

namespace halo {

CheckedFile CheckFile(const std::string& path, const OpenOptions& options) {
  Document document = OpenDocument(path, options);
  RequireContents(document);
  CheckedFile checked;
  checked.path = document.path;
  checked.kind = document.kind;
  checked.compression = document.compression;
  checked.stored_bytes = document.stored_bytes;
  checked.bytes = document.bytes;
  checked.modules = document.modules.size();
  checked.errors = document.errors();
  checked.warnings = document.warnings();
  checked.unreadable = document.modules.empty() && !document.memory;
  for (const Diagnostic* each : document.AllDiagnostics()) checked.diagnostics.push_back(*each);
  return checked;
}

std::string CheckJson(std::span<const CheckedFile> files) {
  JsonWriter json;
  size_t errors = 0;
  size_t warnings = 0;
  BeginJson("halo.check.v1", json);
  json.Key("inputs").BeginArray();
  for (const CheckedFile& file : files) {
    InputJson(file.path, file.kind, file.compression, file.stored_bytes, file.bytes, json);
    errors += file.errors;
    warnings += file.warnings;
  }
  json.EndArray();
  json.Field("errors", errors).Field("warnings", warnings);
  json.Key("diagnostics").BeginArray();
  for (const CheckedFile& file : files) {
    for (const Diagnostic& diagnostic : file.diagnostics)
      DiagnosticJson(file.path, diagnostic, json);
  }
  json.EndArray().EndObject();
  return std::string(json.view());
}

}  // namespace halo
