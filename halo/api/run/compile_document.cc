// Lists the documents with their sizes; their texts are in the files.
#include "halo/api/run/compile_document.h"

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"

namespace halo {

documents::CompileResult CompileDocument(const CompileResult& result, const std::string& folder) {
  documents::CompileResult shown;
  shown.inputs.push_back(InputOf(result.document));
  AppendReadingDiagnostics(result.document, shown.diagnostics);
  AppendDiagnostics(result.diagnostics, result.document.path, shown.diagnostics);
  shown.folder = folder;
  for (const CompiledProgram& from : result.programs) {
    documents::CompileProgram& program = shown.programs.emplace_back();
    program.name = from.name;
    program.instructions_before = from.instructions_before;
    program.instructions = from.instructions;
    program.fusions = from.fusions;
    program.copies = from.copies;
    program.total_bytes = from.total_bytes;
    program.heap_bytes = from.heap_bytes;
    program.unsound = from.unsound;
    program.seconds = from.seconds;
    for (const CompiledDocument& each : from.documents) {
      program.documents.push_back({each.name, each.text.size()});
    }
    program.decisions = from.decisions;
  }
  return shown;
}

std::string CompileJson(const CompileResult& result, const std::string& folder) {
  return describe::DocumentJson(CompileDocument(result, folder));
}

}  // namespace halo
