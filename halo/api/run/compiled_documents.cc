// Lists the documents with their sizes; their texts are in the files.
#include "halo/api/run/compiled_documents.h"

#include "halo/api/document/json_parts.h"

namespace halo {

std::string CompileJson(const CompileResult& result, const std::string& folder) {
  JsonWriter json;
  BeginJson("halo.compile.v1", json);
  InputsJson(result.document, json);
  json.Field("folder", folder);
  json.Key("programs").BeginArray();
  for (const CompiledProgram& program : result.programs) {
    json.BeginObject()
        .Field("name", program.name)
        .Field("instructions_before", program.instructions_before)
        .Field("instructions", program.instructions)
        .Field("fusions", program.fusions)
        .Field("copies", program.copies)
        .Field("total_bytes", program.total_bytes)
        .Field("heap_bytes", program.heap_bytes)
        .Field("unsound", program.unsound)
        .Field("seconds", program.seconds);
    json.Key("documents").BeginArray();
    for (const CompiledDocument& each : program.documents) {
      json.BeginObject().Field("name", each.name).Field("bytes", each.text.size()).EndObject();
    }
    json.EndArray();
    json.Key("decisions").BeginArray();
    for (const std::string& each : program.decisions) json.String(each);
    json.EndArray().EndObject();
  }
  json.EndArray();
  DiagnosticsJson(result.document, result.diagnostics.all(), json);
  json.EndObject();
  return std::string(json.view());
}

}  // namespace halo
