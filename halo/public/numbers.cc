// `halo diff --run` through the public interface.
#include "haloscope/numbers.h"

#include "halo/api/document/run_diagnostics.h"
#include "halo/api/numbers/compare_numbers.h"
#include "halo/public/document_state.h"

namespace halo::v0 {

struct NumbersState {
  std::shared_ptr<const halo::Document> before, after;
  halo::NumbersResult internal;
};

std::string NumbersResult::ToJson() const {
  if (state == nullptr) return {};
  return NumbersJson(state->internal, *state->before, *state->after);
}

NumbersResult Numbers(const Document& before, const Document& after, const RunRequest& request) {
  return NumbersWatched(before, after, request, nullptr);
}

NumbersResult NumbersWatched(const Document& before, const Document& after,
                             const RunRequest& request, EvalProgress* progress) {
  NumbersResult result;
  NumbersRequest how;
  how.run = InternalRunRequest(request, before.path(), result.diagnostics);
  how.run.progress = progress;
  if (!result.diagnostics.empty()) return result;
  if (!how.run.random && how.run.inputs.empty() && how.run.arrays.empty()) how.run.random = 1;
  const auto state = std::make_shared<NumbersState>();
  state->before = OpenedFile(before);
  state->after = OpenedFile(after);
  state->internal = CompareNumbers(*state->before, *state->after, how);
  state->internal.sandbox = InCallersProcess();
  const halo::NumbersResult& internal = state->internal;
  result.succeeded = internal.refused.empty();
  if (!result.succeeded) {
    AppendDiagnostics(internal.diagnostics, internal.failed, result.diagnostics);
    if (result.diagnostics.empty()) {
      result.diagnostics.push_back(PublicDiagnostic(
          MakeBinaryDiagnostic(diag::kInputUnsupported, 0, internal.refused), internal.failed));
    }
    return result;
  }
  result.agrees = internal.agrees();
  result.results = static_cast<int64_t>(internal.results.size());
  result.wrong = internal.wrong();
  if (internal.first) {
    result.first = DifferentValue{internal.first->before.name, internal.first->after.name,
                                  internal.first->confidence};
  }
  result.state = state;
  return result;
}

}  // namespace halo::v0
