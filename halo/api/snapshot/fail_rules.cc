// Metrics are one table; a rule compares one of them, or counts instructions of an op.
#include "halo/api/snapshot/fail_rules.h"

#include <cmath>
#include <cstdio>

#include "halo/api/time/time.h"
#include "halo/base/json/json_reader.h"
#include "halo/base/strings/byte_size.h"
#include "halo/base/strings/human_size.h"
#include "halo/ir/opcode.h"
#include "halo/memory/backend/device.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

using Unit = SnapshotMetric::Unit;

std::optional<double> AsDouble(std::optional<int64_t> value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

Diagnostic BadRule(std::string_view rule, std::string_view why) {
  Diagnostic bad = MakeBinaryDiagnostic(diag::kCannotExplain, 0,
                                        "rule `" + std::string(rule) + "`: " + std::string(why));
  bad.help =
      "a rule is METRIC>LIMIT, METRIC>+GROWTH, new:OP, new:OP>SIZE or changed, where METRIC is "
      "peak, memory, temp, time, instructions, copies, collectives or collective-bytes; for "
      "example peak>+1%, time>+3%, new:all-gather, new:copy>64MiB";
  return bad;
}

std::optional<double> SecondsFromText(std::string_view text) {
  double scale = 1;
  for (const auto& [ending, factor] :
       {std::pair<std::string_view, double>{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}) {
    if (!text.ends_with(ending)) continue;
    text.remove_suffix(ending.size());
    scale = factor;
    break;
  }
  const std::optional<double> value = ParseDouble(text);
  if (!value) return std::nullopt;
  return *value * scale;
}

std::optional<double> LimitFromText(Unit unit, std::string_view text) {
  switch (unit) {
    case Unit::kBytes: return AsDouble(BytesFromText(text));
    case Unit::kSeconds: return SecondsFromText(text);
    case Unit::kCount: return ParseDouble(text);
  }
  return std::nullopt;
}

Result<FailRule> ParseNewOp(std::string_view text, std::string_view rest, FailRule rule) {
  rule.kind = FailRule::Kind::kNewOp;
  const size_t at = rest.find('>');
  rule.op = rest.substr(0, at);
  if (!OpcodeFromText(rule.op)) return BadRule(text, "no op is called " + rule.op);
  if (at == std::string_view::npos) return rule;
  rule.above = BytesFromText(rest.substr(at + 1));
  if (!rule.above) return BadRule(text, "this is not a size");
  if (!HasSizes(rule.op)) return BadRule(text, "sizes are known of copies and collectives only");
  return rule;
}

Result<FailRule> ParseRule(std::string_view text) {
  FailRule rule;
  rule.text = text;
  if (text == "changed") return rule;
  if (text.starts_with("new:")) return ParseNewOp(text, text.substr(4), std::move(rule));
  const size_t at = text.find('>');
  if (at == std::string_view::npos) return BadRule(text, "there is no >");
  for (const SnapshotMetric& metric : SnapshotMetrics()) {
    if (metric.name == text.substr(0, at)) rule.metric = &metric;
  }
  if (rule.metric == nullptr) return BadRule(text, "no such metric");
  std::string_view limit = text.substr(at + 1);
  rule.kind = limit.starts_with('+') ? FailRule::Kind::kGrowth : FailRule::Kind::kAbove;
  if (limit.starts_with('+')) limit.remove_prefix(1);
  std::optional<double> value;
  if (limit.ends_with('%')) {
    if (rule.kind == FailRule::Kind::kAbove) return BadRule(text, "a growth begins with +");
    rule.kind = FailRule::Kind::kPercent;
    value = ParseDouble(limit.substr(0, limit.size() - 1));
  } else {
    value = LimitFromText(rule.metric->unit, limit);
  }
  if (!value || !std::isfinite(*value) || *value < 0) {
    return BadRule(text, "the limit is not a number with a unit that fits");
  }
  rule.limit = *value;
  return rule;
}

void CheckMetric(const ProgramSnapshot& before, const ProgramSnapshot& after, RuleOutcome& out) {
  const FailRule& rule = out.rule;
  const std::optional<double> old_value = rule.metric->of(before);
  const std::optional<double> new_value = rule.metric->of(after);
  const bool needs_both = rule.kind != FailRule::Kind::kAbove;
  if (!new_value || (needs_both && !old_value)) {
    out.state = RuleOutcome::State::kUnknown;
    out.why = std::string(rule.metric->title) + " is unknown " + (new_value ? "before" : "after") +
              " the change";
    return;
  }
  if (needs_both && rule.metric->unit == Unit::kSeconds && before.device != after.device) {
    out.state = RuleOutcome::State::kUnknown;
    out.why = "predicted for different devices: " + before.device + " and " + after.device;
    return;
  }
  double most = rule.limit;
  if (rule.kind == FailRule::Kind::kGrowth) most += *old_value;
  if (rule.kind == FailRule::Kind::kPercent) most = *old_value * (1 + rule.limit / 100);
  // Sums of doubles: a difference in the last bits is no growth.
  const bool is_above = *new_value > most && *new_value - most > 1e-12 * std::abs(most);
  out.state = is_above ? RuleOutcome::State::kBroken : RuleOutcome::State::kHeld;
  out.why = MetricText(rule.metric->unit, *new_value);
  if (!old_value) return;
  const std::string change = ChangeText(*old_value, *new_value);
  out.why = MetricText(rule.metric->unit, *old_value) + " became " + out.why +
            (change.empty() ? "" : " (" + change + ")");
}

void CheckNewOp(const ProgramSnapshot& before, const ProgramSnapshot& after, RuleOutcome& out) {
  const FailRule& rule = out.rule;
  const int64_t old_count =
      rule.above ? before.CountAbove(rule.op, *rule.above) : before.Count(rule.op);
  const int64_t new_count =
      rule.above ? after.CountAbove(rule.op, *rule.above) : after.Count(rule.op);
  out.state = new_count > old_count ? RuleOutcome::State::kBroken : RuleOutcome::State::kHeld;
  out.why = GroupedDigits(old_count) + " became " + GroupedDigits(new_count);
}

}  // namespace

const std::vector<SnapshotMetric>& SnapshotMetrics() {
  static const auto* const kMetrics = new std::vector<SnapshotMetric>{
      {"peak", "peak memory", Unit::kBytes,
       [](const ProgramSnapshot& s) { return AsDouble(s.peak_bytes); }},
      {"memory", "memory", Unit::kBytes,
       [](const ProgramSnapshot& s) { return AsDouble(s.memory_bytes); }},
      {"temp", "temporary memory", Unit::kBytes,
       [](const ProgramSnapshot& s) { return AsDouble(s.temp_bytes); }},
      {"time", "predicted step time", Unit::kSeconds,
       [](const ProgramSnapshot& s) { return s.seconds; }},
      {"instructions", "instructions", Unit::kCount,
       [](const ProgramSnapshot& s) { return AsDouble(s.instructions); }},
      {"copies", "copies", Unit::kCount,
       [](const ProgramSnapshot& s) { return AsDouble(s.Count(TextOf(Opcode::kCopy))); }},
      {"collectives", "collectives", Unit::kCount,
       [](const ProgramSnapshot& s) { return AsDouble(s.collective_count()); }},
      {"collective-bytes", "results of collectives", Unit::kBytes,
       [](const ProgramSnapshot& s) { return AsDouble(s.collective_bytes()); }},
  };
  return *kMetrics;
}

std::string MetricText(SnapshotMetric::Unit unit, double value) {
  switch (unit) {
    case Unit::kBytes: return HumanBytes(static_cast<int64_t>(value));
    case Unit::kSeconds: return HumanSeconds(value);
    case Unit::kCount: return GroupedDigits(static_cast<int64_t>(value));
  }
  return "";
}

std::string ChangeText(double before, double after) {
  if (before == after) return "";
  if (before == 0) return "new";
  const double percent = (after - before) / before * 100;
  char text[32];
  // Small changes keep a digit that is not 0.
  std::snprintf(text, sizeof text, std::abs(percent) < 0.1 ? "%+.1g%%" : "%+.1f%%", percent);
  return text;
}

Result<std::vector<FailRule>> ParseFailRules(std::string_view text) {
  std::vector<FailRule> rules;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    std::string_view each = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (each.starts_with(' ')) each.remove_prefix(1);
    while (each.ends_with(' ')) each.remove_suffix(1);
    if (each.empty()) continue;
    Result<FailRule> rule = ParseRule(each);
    if (!rule) return rule.error();
    rules.push_back(*std::move(rule));
  }
  if (rules.empty()) return BadRule("", "there is no rule");
  return rules;
}

std::string_view TextOf(RuleOutcome::State state) {
  switch (state) {
    case RuleOutcome::State::kHeld: return "passed";
    case RuleOutcome::State::kBroken: return "failed";
    case RuleOutcome::State::kUnknown: return "unknown";
  }
  return "";
}

std::vector<RuleOutcome> CheckRules(const std::vector<FailRule>& rules,
                                    const ProgramSnapshot& before, const ProgramSnapshot& after,
                                    std::optional<bool> same_values) {
  if (!same_values) same_values = SameValues(before, after);
  std::vector<RuleOutcome> outcomes;
  for (const FailRule& rule : rules) {
    RuleOutcome& out = outcomes.emplace_back();
    out.rule = rule;
    if (rule.kind == FailRule::Kind::kNewOp) {
      CheckNewOp(before, after, out);
    } else if (rule.kind != FailRule::Kind::kChanged) {
      CheckMetric(before, after, out);
    } else if (!same_values) {
      out.state = RuleOutcome::State::kUnknown;
      out.why = "the snapshots were made by different versions of halo";
    } else {
      out.state = *same_values ? RuleOutcome::State::kHeld : RuleOutcome::State::kBroken;
      out.why = *same_values ? "the same values" : "other values";
    }
  }
  return outcomes;
}

std::optional<bool> SameValues(const ProgramSnapshot& before, const ProgramSnapshot& after) {
  if (before.version != after.version) return std::nullopt;
  return before.values == after.values;
}

}  // namespace halo
