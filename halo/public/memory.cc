// `halo memory` through the public interface, for documents that are already open.
#include "haloscope/memory.h"

#include "halo/api/describe/result_parts.h"
#include "halo/api/memory/memory_document.h"
#include "halo/api/memory/memory_request.h"
#include "halo/describe/write_json.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/public/document_state.h"
#include "halo/view/model/shown_assignment.h"

namespace halo::v0 {
namespace {

MemoryResult Refused(const halo::Diagnostic& why, std::string_view file) {
  MemoryResult result;
  result.diagnostics.push_back(PublicDiagnostic(why, file));
  return result;
}

}  // namespace

std::string MemoryResult::ToJson(size_t top) const {
  return succeeded ? describe::DocumentJson(*this, top) : std::string();
}

MemoryResult Memory(const Document& document, const MemoryRequest& request,
                    std::span<const Document> related) {
  const halo::Result<halo::MemoryRequest> internal = RequestOf(request);
  if (!internal.ok()) return Refused(internal.error(), document.path());
  std::vector<std::shared_ptr<const halo::Document>> files = {OpenedFile(document)};
  for (const Document& each : related) files.push_back(OpenedFile(each));
  const Module* module = nullptr;
  std::string_view module_path;
  size_t modules = 0;
  for (const auto& file : files) {
    modules += file->modules.size();
    if (module != nullptr || file->modules.empty()) continue;
    module = &file->modules.front().module;
    module_path = file->path;
  }
  if (modules > 1) {
    return Refused(MakeBinaryDiagnostic(diag::kCannotExplain, 0,
                                        "one program at a time: these files hold " +
                                            std::to_string(modules) + " modules"),
                   document.path());
  }
  return MemoryDocument(AnalyzeMemory(*internal, view::InputsOf(files, module, module_path)));
}

}  // namespace halo::v0
