// Verdict and Markdown of a gate.
#include "halo/api/snapshot/gate.h"

#include <algorithm>

#include "halo/api/document/version.h"
#include "halo/base/strings/human_size.h"
#include "halo/base/strings/printable.h"

namespace halo {
namespace {

constexpr size_t kMostRuleRows = 20;
constexpr size_t kMostCauseRows = 15;

// The beginning of a text, without a part of a character at its end.
std::string PrintableStart(std::string_view text, size_t most) {
  std::string start = Printable(text);
  if (start.size() <= most) return start;
  while (most > 0 && (static_cast<unsigned char>(start[most]) & 0xC0) == 0x80) --most;
  start.resize(most);
  return start;
}

// A cell of a table. Backslashes keep punctuation from being markup; an at sign as an entity
// mentions no one.
std::string MarkdownCell(std::string_view text) {
  std::string out;
  for (const char c : PrintableStart(text, 160)) {
    if (c == '@') {
      out += "&#64;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      if (std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

// A name, as code.
std::string MarkdownCode(std::string_view text) {
  std::string out = "`";
  for (const char c : PrintableStart(text, 80)) {
    if (c == '`') {
      out += '\'';
    } else if (c == '|') {
      out += "\\|";
    } else {
      out += c;
    }
  }
  return text.empty() ? "" : out + "`";
}

std::vector<std::string> MetricRows(const GateResult& gate) {
  std::vector<std::string> rows;
  for (const SnapshotMetric& metric : SnapshotMetrics()) {
    const std::optional<double> before = metric.of(gate.before);
    const std::optional<double> after = metric.of(gate.after);
    if (before.value_or(0) == 0 && after.value_or(0) == 0) continue;
    const auto text = [&](std::optional<double> value) {
      return value ? MetricText(metric.unit, *value) : std::string("unknown");
    };
    std::string title(metric.title);
    if (metric.unit == SnapshotMetric::Unit::kSeconds) {
      title +=
          " on " + MarkdownCell(gate.after.device.empty() ? gate.before.device : gate.after.device);
    }
    rows.push_back("| " + title + " | " + text(before) + " | " + text(after) + " | " +
                   (before && after ? ChangeText(*before, *after) : "") + " |");
  }
  return rows;
}

std::vector<std::string> OpRows(const GateResult& gate) {
  std::vector<std::string> rows;
  std::map<std::string, bool> ops;
  for (const ProgramSnapshot* snapshot : {&gate.before, &gate.after}) {
    for (const auto& [key, count] : snapshot->sized) ops[key.first] = true;
  }
  for (const auto& [op, known] : ops) {
    const int64_t before = gate.before.Count(op);
    const int64_t after = gate.after.Count(op);
    if (before == after || op == "copy") continue;
    rows.push_back("| " + MarkdownCode(op) + " | " + GroupedDigits(before) + " | " +
                   GroupedDigits(after) + " | " +
                   ChangeText(static_cast<double>(before), static_cast<double>(after)) + " |");
  }
  return rows;
}

std::string CauseExample(const DiffCause& cause) {
  for (const DiffPlace& place : cause.places) {
    if (!place.before.empty() && !place.after.empty() && place.before != place.after) {
      return MarkdownCode(place.before) + " → " + MarkdownCode(place.after);
    }
    if (!place.before.empty() || !place.after.empty()) {
      return MarkdownCode(place.before.empty() ? place.after : place.before);
    }
  }
  return "";
}

void AddCauses(const GateResult& gate, std::vector<std::string>& lines) {
  if (!gate.diff || gate.diff->causes.empty()) return;
  const std::vector<DiffCause>& causes = gate.diff->causes;
  const size_t left = kMostMarkdownLines - std::min(lines.size() + 4, kMostMarkdownLines);
  const size_t shown = std::min({causes.size(), left, kMostCauseRows});
  if (shown == 0) return;
  lines.push_back("");
  lines.push_back(shown == causes.size()
                      ? "**What changed**"
                      : "**What changed**: the largest " + std::to_string(shown) + " of " +
                            GroupedDigits(static_cast<int64_t>(causes.size())));
  lines.push_back("");
  lines.push_back("| change | times | bytes | what | for example |");
  lines.push_back("|---|--:|--:|---|---|");
  for (size_t i = 0; i < shown; ++i) {
    const DiffCause& cause = causes[i];
    lines.push_back("| " + std::string(TextOf(cause.kind)) + " | " + GroupedDigits(cause.count) +
                    " | " + (cause.bytes != 0 ? HumanBytes(cause.bytes) : "") + " | " +
                    MarkdownCell(cause.what) + " | " + CauseExample(cause) + " |");
  }
}

void AddRules(const GateResult& gate, std::vector<std::string>& lines) {
  if (gate.outcomes.empty()) return;
  lines.push_back("");
  lines.push_back("| rule | result | |");
  lines.push_back("|---|---|---|");
  // Those that did not pass first, so that none of them is left out.
  std::vector<const RuleOutcome*> order;
  for (const bool held : {false, true}) {
    for (const RuleOutcome& each : gate.outcomes) {
      if ((each.state == RuleOutcome::State::kHeld) == held) order.push_back(&each);
    }
  }
  for (size_t i = 0; i < std::min(order.size(), kMostRuleRows); ++i) {
    const bool held = order[i]->state == RuleOutcome::State::kHeld;
    const std::string state(TextOf(order[i]->state));
    lines.push_back("| " + MarkdownCode(order[i]->rule.text) + " | " +
                    (held ? state : "**" + state + "**") + " | " + MarkdownCell(order[i]->why) +
                    " |");
  }
  if (order.size() > kMostRuleRows) {
    lines.push_back("| " + std::to_string(order.size() - kMostRuleRows) + " more | | |");
  }
}

}  // namespace

size_t GateResult::CountOf(RuleOutcome::State state) const {
  return static_cast<size_t>(
      std::count_if(outcomes.begin(), outcomes.end(),
                    [&](const RuleOutcome& each) { return each.state == state; }));
}

std::string GateVerdict(const GateResult& gate) {
  if (gate.diff) return gate.diff->verdict;
  const std::optional<bool> same = SameValues(gate.before, gate.after);
  if (!same) {
    return "the snapshot was made by halo " +
           (gate.before.version == Version() ? gate.after.version : gate.before.version) +
           ": figures are compared, programs are not";
  }
  if (!*same) return "different programs: they compute other values";
  return gate.before.module == gate.after.module
             ? "the same program"
             : "the same program, compiled differently: the values are the same";
}

std::string GateSummary(const GateResult& gate) {
  const size_t failed = gate.CountOf(RuleOutcome::State::kBroken);
  const size_t unknown = gate.CountOf(RuleOutcome::State::kUnknown);
  const std::string all = Counted(static_cast<int64_t>(gate.outcomes.size()), "rule");
  if (failed == 0 && unknown == 0) return "all of " + all + " passed";
  std::string out;
  if (failed != 0) out = std::to_string(failed) + " of " + all + " failed";
  if (unknown != 0) {
    out += (out.empty() ? "" : ", ") + std::to_string(unknown) +
           (out.empty() ? " of " + all : std::string()) + " could not be checked";
  }
  return out;
}

std::string GateMarkdown(const GateResult& gate) {
  std::vector<std::string> lines;
  const std::string& program =
      gate.after.program.empty() ? gate.before.program : gate.after.program;
  std::string title = "### " + MarkdownCode(program);
  if (!gate.outcomes.empty()) title += ": " + GateSummary(gate);
  lines.push_back(std::move(title));
  lines.push_back("");
  lines.push_back(MarkdownCell(GateVerdict(gate)));
  lines.push_back("");
  lines.push_back("| | before | after | change |");
  lines.push_back("|---|--:|--:|--:|");
  for (std::string& row : MetricRows(gate)) lines.push_back(std::move(row));
  for (std::string& row : OpRows(gate)) lines.push_back(std::move(row));
  AddRules(gate, lines);
  AddCauses(gate, lines);
  std::string out;
  for (size_t i = 0; i < std::min(lines.size(), kMostMarkdownLines); ++i) out += lines[i] + "\n";
  return out;
}

}  // namespace halo
