// Renders findings as text and JSON. halo/memory decides what the findings are.
#include "halo/api/check/assignment_findings.h"

#include "halo/api/document/json_parts.h"
#include "halo/base/json/json_writer.h"
#include "halo/base/strings/human_size.h"

namespace halo {
namespace {

std::string Counted(size_t count, std::string_view noun) {
  std::string text = GroupedDigits(static_cast<int64_t>(count)) + ' ' + std::string(noun);
  return count == 1 ? text : text + 's';
}

// "%e, f32[16]{0}, 64 bytes at offset 0 of allocation 2, live 1-2"
std::string Described(const Assignment& assignment, ValueId id) {
  const AssignedValue& value = assignment.value(id);
  std::string text = assignment.NameOf(value);
  if (value.shape.valid()) text += ", " + std::string(assignment.text(value.shape));
  if (value.allocation.valid()) {
    text += ", " + GroupedDigits(value.size) + " bytes at offset " + GroupedDigits(value.offset) +
            " of allocation " + std::to_string(value.allocation.value);
  }
  if (value.live.known()) {
    text += ", live " + std::to_string(value.live.start) + "-" + std::to_string(value.live.end);
  }
  return text;
}

void ValueJson(std::string_view key, const Assignment& assignment, ValueId id, JsonWriter& json) {
  if (!id.valid()) return;
  const AssignedValue& value = assignment.value(id);
  json.Key(key).BeginObject();
  json.Field("name", std::string_view(assignment.NameOf(value))).Field("id", value.id);
  json.Field("offset", value.offset).Field("size", value.size);
  if (value.live.known()) json.Field("start", value.live.start).Field("end", value.live.end);
  json.EndObject();
}

void FindingJson(const Assignment& assignment, const Finding& finding, JsonWriter& json) {
  json.BeginObject();
  json.Field("kind", TextOf(finding.kind));
  ValueJson("first", assignment, finding.first, json);
  ValueJson("second", assignment, finding.second, json);
  if (finding.allocation.valid()) json.Field("allocation", finding.allocation.value);
  if (finding.end > finding.begin) {
    json.Field("begin_byte", finding.begin).Field("end_byte", finding.end);
  }
  if (finding.time.known()) {
    json.Field("from", finding.time.start).Field("to", finding.time.end);
  }
  json.Field("explanation", std::string_view(finding.explanation));
  json.Field("help", InfoOf(finding.kind).help);
  json.EndObject();
}

}  // namespace

std::string FindingsText(const Assignment& assignment, const AssignmentFindings& found) {
  std::string text;
  for (const Finding& finding : found.findings) {
    text += std::string(TextOf(finding.kind)) + ": " + finding.explanation + '\n';
    for (const ValueId id : {finding.first, finding.second}) {
      if (id.valid()) text += "  " + Described(assignment, id) + '\n';
    }
    text += "  to do: " + std::string(InfoOf(finding.kind).help) + "\n\n";
  }
  if (found.total > found.findings.size()) {
    text += Counted(found.total - found.findings.size(), "more finding") + " not shown.\n";
  }
  const CheckCoverage& coverage = found.coverage;
  text += found.ok() ? "sound: " : "not sound, " + Counted(found.total, "finding") + ": ";
  if (!found.counted_all) text += "at least that many; ";
  text += Counted(coverage.values, "value") + ", " + Counted(coverage.pairs, "pair") +
          " with shared bytes, checked " +
          (coverage.module ? "against the module" : "against the printed assignment") + '\n';
  if (coverage.unproven_pairs > 0) {
    text += "neither proved nor disproved: " + Counted(coverage.unproven_pairs, "pair") + '\n';
  }
  if (coverage.unknown_values > 0) {
    text += "not in the module: " + Counted(coverage.unknown_values, "value") + '\n';
  }
  for (const std::string& each : coverage.not_checked) text += "not checked: " + each + '\n';
  return text;
}

std::string FindingsJson(std::string_view path, const Assignment& assignment,
                         const AssignmentFindings& found) {
  JsonWriter json;
  BeginJson("halo.memory-check.v1", json);
  json.Field("path", path).Field("sound", found.ok()).Field("findings_total", found.total);
  json.Field("counted_all", found.counted_all);
  json.Key("counts").BeginObject();
  for (size_t kind = 0; kind < FindingKindCount(); ++kind) {
    if (found.counts[kind] > 0) {
      json.Field(TextOf(static_cast<FindingKind>(kind)), found.counts[kind]);
    }
  }
  json.EndObject();
  json.Key("findings").BeginArray();
  for (const Finding& finding : found.findings) FindingJson(assignment, finding, json);
  json.EndArray();
  const CheckCoverage& coverage = found.coverage;
  json.Key("coverage").BeginObject();
  json.Field("module", coverage.module).Field("live_ranges", coverage.live_ranges);
  json.Field("uses", coverage.uses).Field("values", coverage.values);
  json.Field("pairs", coverage.pairs).Field("unproven_pairs", coverage.unproven_pairs);
  json.Field("unknown_values", coverage.unknown_values);
  json.Key("not_checked").BeginArray();
  for (const std::string& each : coverage.not_checked) json.String(each);
  json.EndArray().EndObject().EndObject();
  return std::string(json.view());
}

}  // namespace halo
