// Writes the result field by field.
#include "halo/api/diff/diff_document.h"

#include <algorithm>

#include "halo/api/diff/peak_json.h"
#include "halo/api/diff/peak_of_documents.h"
#include "halo/api/diff/step_change.h"
#include "halo/api/document/json_parts.h"

namespace halo {

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

std::string DiffJson(const Document& before, const Document& after, const ProgramDiff& diff,
                     size_t top) {
  JsonWriter json;
  BeginJson("halo.diff.v1", json);
  json.Key("inputs").BeginArray();
  InputJson(before, json);
  InputJson(after, json);
  json.EndArray();
  json.Field("ok", diff.refused.empty());
  if (!diff.refused.empty()) {
    json.Field("refused", std::string_view(diff.refused));
  } else {
    json.Field("same", diff.same).Field("same_values", diff.same_values);
    json.Field("verdict", std::string_view(diff.verdict));
    const DiffCounts& counts = diff.counts;
    json.Key("values").BeginObject();
    json.Field("before", counts.before).Field("after", counts.after);
    json.Field("matched", counts.matched).Field("same", counts.same);
    json.Field("changed", counts.changed).Field("rewired", counts.rewired);
    json.Field("deleted", counts.deleted).Field("inserted", counts.inserted);
    json.Field("outputs", counts.outputs).Field("ambiguous", counts.ambiguous);
    json.Field("more_often", counts.more).Field("less_often", counts.fewer);
    json.EndObject();
    json.Field("cause_count", diff.causes.size());
    json.Key("causes").BeginArray();
    for (size_t i = 0; i < std::min(top, diff.causes.size()); ++i) {
      const DiffCause& cause = diff.causes[i];
      json.BeginObject().Field("kind", TextOf(cause.kind));
      json.Field("what", std::string_view(cause.what)).Field("count", cause.count);
      json.Field("bytes", cause.bytes);
      if (cause.seconds) json.Field("seconds", *cause.seconds);
      json.Field("confidence", cause.confidence);
      if (!cause.op_name.empty()) json.Field("op_name", std::string_view(cause.op_name));
      json.Key("places").BeginArray();
      for (const DiffPlace& place : cause.places) {
        json.BeginObject();
        if (!place.before.empty()) json.Field("before", std::string_view(place.before));
        if (!place.after.empty()) json.Field("after", std::string_view(place.after));
        json.EndObject();
      }
      json.EndArray().EndObject();
    }
    json.EndArray();
    if (diff.peak != nullptr) PeakJson(*diff.peak, json);
    if (diff.step != nullptr) StepJson(*diff.step, json);
  }
  json.Key("diagnostics").BeginArray();
  ReadingDiagnosticsJson(before, json);
  ReadingDiagnosticsJson(after, json);
  json.EndArray();
  json.EndObject();
  return std::string(json.view());
}

}  // namespace halo
