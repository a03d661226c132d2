// A rule that cannot be checked is a diagnostic as well.
#include "halo/api/snapshot/gate_document.h"

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {

documents::GateResult GateDocument(const GateResult& gate, std::string_view before,
                                   std::string_view after) {
  documents::GateResult document;
  document.inputs = {InputOf(before), InputOf(after)};
  document.program = gate.after.program;
  document.ok = gate.CountOf(RuleOutcome::State::kHeld) == gate.outcomes.size();
  document.verdict = GateVerdict(gate);
  for (const SnapshotMetric& metric : SnapshotMetrics()) {
    const documents::GateMetric row = {.name = std::string(metric.name),
                                       .before = metric.of(gate.before),
                                       .after = metric.of(gate.after)};
    if (row.before || row.after) document.metrics.push_back(row);
  }
  for (const RuleOutcome& each : gate.outcomes) {
    document.rules.push_back(
        {.rule = each.rule.text, .state = std::string(TextOf(each.state)), .why = each.why});
    if (each.state != RuleOutcome::State::kUnknown) continue;
    document.diagnostics.push_back(PublicDiagnostic(
        MakeBinaryDiagnostic(diag::kCannotExplain, 0, "rule `" + each.rule.text + "`: " + each.why),
        after));
  }
  return document;
}

std::string GateJson(const GateResult& gate, std::string_view before, std::string_view after) {
  return describe::DocumentJson(GateDocument(gate, before, after));
}

}  // namespace halo
