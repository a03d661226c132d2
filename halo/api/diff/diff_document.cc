// Compares two documents, and puts the parts of the result where the document has them.
#include "halo/api/diff/diff_document.h"

#include <algorithm>

#include "halo/api/describe/choice_lists.h"
#include "halo/api/describe/result_parts.h"
#include "halo/api/diff/peak_of_documents.h"
#include "halo/api/diff/step_change.h"
#include "halo/describe/check_request.h"
#include "halo/describe/write_json.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

v0::DiffValues ValuesOf(const DiffCounts& counts) {
  return {.before = counts.before,
          .after = counts.after,
          .matched = counts.matched,
          .same = counts.same,
          .changed = counts.changed,
          .rewired = counts.rewired,
          .deleted = counts.deleted,
          .inserted = counts.inserted,
          .outputs = counts.outputs,
          .ambiguous = counts.ambiguous,
          .more_often = counts.more,
          .less_often = counts.fewer};
}

v0::DiffPeakSide PeakSideOf(const PeakSide& side) {
  return {.bytes = side.bytes,
          .held_bytes = side.held_bytes,
          .heap_bytes = side.heap_bytes,
          .live_bytes = side.live_bytes,
          .position = side.time,
          .instruction = side.instruction,
          .op_name = side.op_name,
          .planned_by_halo = side.is_planned};
}

v0::DiffPeak PeakOf(const PeakChange& change) {
  v0::DiffPeak to = {.bytes = change.bytes(),
                     .before = PeakSideOf(change.before),
                     .after = PeakSideOf(change.after),
                     .only_after = change.only_after,
                     .only_before = change.only_before,
                     .resized = change.resized,
                     .packing = change.packing,
                     .causes = {}};
  for (const PeakCause& each : change.causes) to.causes.push_back(DiffPeakCauseOf(each));
  return to;
}

v0::DiffStep StepOf(const StepChange& change) {
  v0::DiffStep to = {.seconds = change.seconds(),
                     .before = change.before,
                     .after = change.after,
                     .device = change.device,
                     .only_after = change.only_after,
                     .only_before = change.only_before,
                     .changed = change.changed,
                     .gaps = change.gaps,
                     .exposed = change.exposed,
                     .stalled = change.stalled,
                     .causes = {}};
  for (const StepCause& each : change.causes) {
    v0::DiffStepCause& cause = to.causes.emplace_back();
    cause.what = each.what;
    cause.count = each.count;
    cause.seconds = each.seconds;
    for (const StepPlace& place : each.places) {
      cause.places.push_back(
          {.before = place.before, .after = place.after, .seconds = place.seconds});
    }
  }
  return to;
}

}  // namespace

ProgramDiff DiffDocuments(const Document& before, const Document& after,
                          const std::string& device) {
  for (const Document* document : {&before, &after}) {
    if (!document->modules.empty() && document->errors() == 0) continue;
    ProgramDiff refused;
    refused.refused = document->path + " cannot be read as a program";
    return refused;
  }
  const MatchedPrograms programs(before.modules.front().module, after.modules.front().module);
  ProgramDiff diff = DiffPrograms(programs);
  if (!diff.refused.empty()) return diff;
  diff.peak = PeakOfDocuments(before, after, programs, diff.no_peak);
  diff.step = StepOfDocuments(before, after, programs, device, diff.causes);
  return diff;
}

Result<std::string> DeviceOf(const v0::DiffRequest& asked) {
  if (const std::string problem = describe::CheckRequest(asked, ChoicesNamed); !problem.empty()) {
    return MakeBinaryDiagnostic(diag::kCannotExplain, 0, problem);
  }
  return asked.device;
}

v0::DiffCause DiffCauseOf(const DiffCause& cause) {
  v0::DiffCause to = {.kind = std::string(TextOf(cause.kind)),
                      .what = cause.what,
                      .count = cause.count,
                      .bytes = cause.bytes,
                      .seconds = cause.seconds,
                      .confidence = cause.confidence,
                      .op_name = cause.op_name,
                      .places = {}};
  for (const DiffPlace& place : cause.places) {
    to.places.push_back({.before = place.before, .after = place.after});
  }
  return to;
}

v0::DiffPeakCause DiffPeakCauseOf(const PeakCause& cause) {
  v0::DiffPeakCause to = {.kind = std::string(TextOf(cause.kind)),
                          .what = cause.what,
                          .count = cause.count,
                          .bytes = cause.bytes,
                          .replayed_bytes = cause.replayed,
                          .moved = cause.moved,
                          .places = {}};
  for (const PeakPlace& place : cause.places) {
    to.places.push_back({.before = place.before,
                         .after = place.after,
                         .because = place.because,
                         .bytes = place.bytes});
  }
  return to;
}

v0::DiffResult DiffDocument(const Document& before, const Document& after, const ProgramDiff& diff,
                            size_t top) {
  v0::DiffResult document;
  for (const Document* each : {&before, &after}) {
    document.inputs.push_back(InputOf(*each));
    AppendReadingDiagnostics(*each, document.diagnostics);
  }
  document.ok = diff.refused.empty();
  document.refused = diff.refused;
  if (!document.ok) return document;
  document.same = diff.same;
  document.same_values = diff.same_values;
  document.verdict = diff.verdict;
  document.values = ValuesOf(diff.counts);
  document.cause_count = static_cast<int64_t>(diff.causes.size());
  document.causes.emplace();
  for (size_t i = 0; i < std::min(top, diff.causes.size()); ++i) {
    document.causes->push_back(DiffCauseOf(diff.causes[i]));
  }
  if (diff.peak != nullptr) document.peak = PeakOf(*diff.peak);
  if (diff.step != nullptr) document.step = StepOf(*diff.step);
  return document;
}

std::string DiffJson(const Document& before, const Document& after, const ProgramDiff& diff,
                     size_t top) {
  return describe::DocumentJson(DiffDocument(before, after, diff, top), top);
}

}  // namespace halo
