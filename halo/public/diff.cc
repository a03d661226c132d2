// `halo diff` through the public interface.
#include "haloscope/diff.h"

#include <algorithm>

#include "halo/api/diff/diff_document.h"
#include "halo/public/document_state.h"

namespace halo::v0 {

struct DiffState {
  std::shared_ptr<const halo::Document> before, after;
  ProgramDiff diff;
  size_t top = 0;
};

std::string DiffResult::ToJson() const {
  if (state == nullptr) return {};
  return DiffJson(*state->before, *state->after, state->diff, state->top);
}

DiffResult Diff(const Document& before, const Document& after, const DiffRequest& request) {
  const auto state = std::make_shared<DiffState>();
  state->before = OpenedFile(before);
  state->after = OpenedFile(after);
  state->top = request.top;
  state->diff = DiffDocuments(*state->before, *state->after);
  const ProgramDiff& diff = state->diff;
  DiffResult result;
  result.succeeded = diff.refused.empty();
  result.refused = diff.refused;
  result.same_values = diff.same_values;
  result.same = diff.same;
  result.verdict = diff.verdict;
  result.matched = diff.counts.matched;
  result.changed = diff.counts.changed + diff.counts.rewired;
  result.deleted = diff.counts.deleted;
  result.inserted = diff.counts.inserted;
  result.ambiguous = diff.counts.ambiguous;
  for (size_t i = 0; i < std::min(request.top, diff.causes.size()); ++i) {
    const halo::DiffCause& from = diff.causes[i];
    DiffCause& cause = result.causes.emplace_back();
    cause.kind = TextOf(from.kind);
    cause.what = from.what;
    cause.op_name = from.op_name;
    cause.count = from.count;
    cause.bytes = from.bytes;
    cause.confidence = from.confidence;
    for (const halo::DiffPlace& place : from.places) {
      cause.places.push_back({place.before, place.after});
    }
  }
  result.state = state;
  return result;
}

}  // namespace halo::v0
