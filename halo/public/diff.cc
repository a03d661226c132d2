// `halo diff` through the public interface.
#include "haloscope/diff.h"

#include <algorithm>

#include "halo/api/diff/diff_document.h"
#include "halo/api/diff/step_change.h"
#include "halo/cost/device/time_device.h"
#include "halo/diff/peak/peak_change.h"
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

namespace {

DiffPeak PublicPeak(const PeakChange& from) {
  DiffPeak peak;
  peak.before = from.before.bytes;
  peak.after = from.after.bytes;
  peak.only_after = from.only_after;
  peak.only_before = from.only_before;
  peak.resized = from.resized;
  peak.packing = from.packing;
  for (const PeakCause& each : from.causes) {
    DiffPeakCause& cause = peak.causes.emplace_back();
    cause.kind = TextOf(each.kind);
    cause.what = each.what;
    cause.count = each.count;
    cause.bytes = each.bytes;
    cause.replayed_bytes = each.replayed;
    for (const PeakPlace& place : each.places) {
      cause.places.push_back({place.before, place.after});
    }
  }
  return peak;
}

}  // namespace

DiffResult Diff(const Document& before, const Document& after, const DiffRequest& request) {
  const auto state = std::make_shared<DiffState>();
  state->before = OpenedFile(before);
  state->after = OpenedFile(after);
  state->top = request.top;
  if (!request.device.empty() && !FindTimeDevice(request.device)) {
    state->diff.refused = "no device is called " + request.device;
  } else {
    state->diff = DiffDocuments(*state->before, *state->after, request.device);
  }
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
    cause.seconds = from.seconds;
    cause.confidence = from.confidence;
    for (const halo::DiffPlace& place : from.places) {
      cause.places.push_back({place.before, place.after});
    }
  }
  if (diff.peak != nullptr) result.peak = PublicPeak(*diff.peak);
  if (diff.step != nullptr) {
    result.step = DiffStep{diff.step->before, diff.step->after, diff.step->device};
  }
  result.state = state;
  return result;
}

}  // namespace halo::v0
