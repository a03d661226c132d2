// Puts the parts of a search for a pass where the document has them.
#include "halo/api/numbers/broken_pass_document.h"

#include "halo/api/describe/result_parts.h"
#include "halo/api/numbers/numbers_document.h"
#include "halo/describe/write_json.h"

namespace halo {

documents::BrokenPassResult BrokenPassDocument(const BrokenPass& result, const std::string& path) {
  documents::BrokenPassResult document;
  document.inputs.push_back(InputOf(path));
  document.ok = result.refused.empty();
  document.refused = result.refused;
  document.module = result.module;
  document.states = result.states;
  document.agrees = result.agrees();
  document.checked = result.checked;
  document.good = result.good;
  document.bad = result.bad;
  if (result.bad) {
    document.pass = result.bad->Name();
    document.skipped = result.skipped;
    document.confirmed = result.is_confirmed;
    document.between = ComparedOf(result.between);
  }
  document.sandbox = result.sandbox;
  AppendDiagnostics(result.diagnostics, path, document.diagnostics);
  return document;
}

std::string BrokenPassJson(const BrokenPass& result, const std::string& path) {
  return describe::DocumentJson(BrokenPassDocument(result, path));
}

}  // namespace halo
