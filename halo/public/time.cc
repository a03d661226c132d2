// `halo time` through the public interface, for documents that are already open.
#include "haloscope/time.h"

#include "halo/api/time/time_document.h"
#include "halo/api/time/time_request.h"
#include "halo/describe/write_json.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/public/document_state.h"

namespace halo::v0 {
namespace {

TimeResult RefusedTime(const halo::Diagnostic& why, std::string_view file) {
  TimeResult result;
  result.diagnostics.push_back(PublicDiagnostic(why, file));
  return result;
}

}  // namespace

std::string TimeResult::ToJson(size_t top) const {
  return succeeded ? describe::DocumentJson(*this, top) : std::string();
}

TimeResult Time(const Document& document, const TimeRequest& request) {
  const halo::Result<halo::TimeRequest> internal = RequestOf(request);
  if (!internal.ok()) return RefusedTime(internal.error(), document.path());
  const std::shared_ptr<const halo::Document>& file = OpenedFile(document);
  if (file->modules.empty()) {
    halo::Document description = DescriptionOf(*file);
    RequireModules(description);
    TimeResult result;
    AppendDiagnostics(description.diagnostics, document.path(), result.diagnostics);
    return result;
  }
  if (file->modules.size() != 1) {
    return RefusedTime(MakeBinaryDiagnostic(diag::kCannotExplain, 0,
                                            "one program at a time: this file holds " +
                                                std::to_string(file->modules.size()) + " modules"),
                       document.path());
  }
  TimeInputs inputs;
  inputs.documents.push_back(DescriptionOf(*file));
  inputs.module = &file->modules.front().module;
  inputs.module_path = file->path;
  TakeRequestedTexts(request, inputs);
  FindTimeTexts(inputs);
  return TimeDocument(AnalyzeTime(*internal, std::move(inputs)));
}

}  // namespace halo::v0
