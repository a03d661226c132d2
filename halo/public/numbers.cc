// `halo diff --run` through the public interface.
#include "haloscope/numbers.h"

#include <utility>

#include "halo/api/document/run_diagnostics.h"
#include "halo/api/numbers/numbers_document.h"
#include "halo/api/run/run_request.h"
#include "halo/describe/write_json.h"
#include "halo/public/document_state.h"

namespace halo::v0 {

std::string NumbersResult::ToJson() const {
  return inputs.empty() ? std::string() : describe::DocumentJson(*this);
}

NumbersResult Numbers(const Document& before, const Document& after,
                      const ExecutionRequest& request) {
  return NumbersWatched(before, after, request, nullptr);
}

NumbersResult NumbersWatched(const Document& before, const Document& after,
                             const ExecutionRequest& request, EvalProgress* progress) {
  Result<halo::RunRequest> internal = halo::RequestOf(request);
  if (!internal.ok()) {
    NumbersResult refused;
    refused.refused = internal.error().message;
    refused.diagnostics.push_back(PublicDiagnostic(internal.error(), before.path()));
    return refused;
  }
  NumbersRequest how;
  how.run = *std::move(internal);
  how.run.progress = progress;
  if (!how.run.random && how.run.inputs.empty() && how.run.arrays.empty()) how.run.random = 1;
  const std::shared_ptr<const halo::Document>& first = OpenedFile(before);
  const std::shared_ptr<const halo::Document>& second = OpenedFile(after);
  halo::NumbersResult found = CompareNumbers(*first, *second, how);
  found.sandbox = InCallersProcess();
  NumbersResult result = NumbersDocument(found, *first, *second);
  if (!result.ok && result.diagnostics.empty()) {
    result.diagnostics.push_back(PublicDiagnostic(
        MakeBinaryDiagnostic(diag::kInputUnsupported, 0, found.refused), found.failed));
  }
  return result;
}

}  // namespace halo::v0
