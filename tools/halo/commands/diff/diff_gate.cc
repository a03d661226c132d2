// Opens both sides, checks the rules and prints the result. The exit code is 1 if a rule failed and
// 2 if one could not be checked.
#include "tools/halo/commands/diff/diff_gate.h"

#include <optional>

#include "halo/api/snapshot/gate_document.h"
#include "halo/api/snapshot/snapshot_document.h"
#include "halo/base/io/source_buffer.h"
#include "halo/base/strings/human_size.h"
#include "halo/dump/open_file.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

// What was given as A or B.
struct GateSide {
  ProgramSnapshot snapshot;
  std::optional<SnapshotResult> program;
};

bool IsSnapshotFile(const std::string& path) {
  if (path == "-" || path.find(".json") == std::string::npos) return false;
  const Result<SourceBuffer> source = OpenDumpFile(path);
  return source && IsSnapshot(source->bytes());
}

std::optional<GateSide> OpenSide(const std::string& path, const std::string& device,
                                 Session& session) {
  GateSide side;
  if (IsSnapshotFile(path)) {
    const Result<SourceBuffer> source = OpenDumpFile(path);
    Result<ProgramSnapshot> snapshot = ReadSnapshot(source->bytes());
    if (!snapshot) {
      Refuse(snapshot.error(), path, session);
      return std::nullopt;
    }
    side.snapshot = *std::move(snapshot);
    return side;
  }
  side.program = TakeSnapshot({.path = path, .open = session.open_options(), .device = device});
  if (!side.program->succeeded) {
    ComplainAbout(*side.program, session);
    return std::nullopt;
  }
  side.snapshot = side.program->snapshot;
  return side;
}

std::string GateText(const GateResult& gate, size_t width) {
  std::string text = Phrase("{}\n", GateVerdict(gate));
  TextTable figures("lrrl");
  figures.Add({"", "before", "after", "change"});
  for (const SnapshotMetric& metric : SnapshotMetrics()) {
    const std::optional<double> before = metric.of(gate.before);
    const std::optional<double> after = metric.of(gate.after);
    if (!before && !after) continue;
    figures.Add({std::string(metric.title), before ? MetricText(metric.unit, *before) : "unknown",
                 after ? MetricText(metric.unit, *after) : "unknown",
                 before && after ? ChangeText(*before, *after) : ""});
  }
  text += figures.Text(2, width);
  if (gate.outcomes.empty()) return text;
  TextTable rules("llt");
  for (const RuleOutcome& each : gate.outcomes) {
    rules.Add({each.rule.text, std::string(TextOf(each.state)), each.why});
  }
  return text + GateSummary(gate) + "\n" + rules.Text(2, width);
}

}  // namespace

void ComplainAbout(const SnapshotResult& result, Session& session) {
  session.Worsen(kExitUnusable);
  std::string path;
  for (const Document& document : result.memory.inputs.documents) {
    if (path.empty()) path = document.path;
    for (const Diagnostic* each : document.AllDiagnostics()) Refuse(*each, document.path, session);
  }
  for (const Diagnostics* list : {&result.memory.inputs.diagnostics, &result.memory.diagnostics}) {
    for (const Diagnostic& each : list->all()) Refuse(each, path, session);
  }
}

bool WantsGate(const GateFlags& flags, const Session& session) {
  if (!flags.rules.empty() || flags.markdown) return true;
  for (const std::string& path : session.files) {
    if (IsSnapshotFile(path)) return true;
  }
  return false;
}

void RunGate(const GateFlags& flags, const std::string& device, Session& session) {
  std::vector<FailRule> rules;
  if (!flags.rules.empty()) {
    Result<std::vector<FailRule>> parsed = ParseFailRules(flags.rules);
    if (!parsed) {
      return RefuseWithHint(kWrongUsage, "halo diff --fail-on: " + parsed.error().message,
                            parsed.error().help, session);
    }
    rules = *std::move(parsed);
  }
  std::vector<GateSide> sides;
  for (const std::string& path : session.files) {
    std::optional<GateSide> side = OpenSide(path, device, session);
    if (!side) return;
    sides.push_back(*std::move(side));
  }
  GateResult gate;
  gate.before = sides[0].snapshot;
  gate.after = sides[1].snapshot;
  std::optional<bool> same_values;
  if (sides[0].program && sides[1].program) {
    gate.diff = DiffPrograms(*sides[0].program->memory.inputs.module,
                             *sides[1].program->memory.inputs.module);
    if (!gate.diff->refused.empty()) {
      session.Worsen(kExitUnusable);
      return session.console.Err(Phrase("not compared: {}\n", gate.diff->refused));
    }
    same_values = gate.diff->same_values;
  }
  gate.outcomes = CheckRules(rules, gate.before, gate.after, same_values);
  // Without rules, differences count as they do without a snapshot.
  const bool differs = gate.diff ? !gate.diff->same : gate.before.module != gate.after.module;
  if (rules.empty() && differs) session.Worsen(kExitFindings);
  if (gate.CountOf(RuleOutcome::State::kBroken) != 0) session.Worsen(kExitFindings);
  if (gate.CountOf(RuleOutcome::State::kUnknown) != 0) session.Worsen(kExitUnusable);
  if (session.json) return PrintJson(GateJson(gate, session.files[0], session.files[1]), session);
  if (flags.markdown) return session.console.Out(GateMarkdown(gate));
  session.console.Print(GateText(gate, session.console.Width()));
}

}  // namespace halo::tool
