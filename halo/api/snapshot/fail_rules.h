// Rules of `halo diff --fail-on`: what must not happen between two versions of a program, such as
// `peak>+1%,new:all-gather,new:copy>64MiB,time>+3%`.
#ifndef HALO_API_SNAPSHOT_FAIL_RULES_H_
#define HALO_API_SNAPSHOT_FAIL_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/snapshot/program_snapshot.h"
#include "halo/base/diagnostics/result.h"

namespace halo {

// A figure of a snapshot.
struct SnapshotMetric {
  enum class Unit : uint8_t { kBytes, kSeconds, kCount };

  std::string_view name;   // in rules: "peak"
  std::string_view title;  // for people: "peak memory"
  Unit unit = Unit::kCount;
  std::optional<double> (*of)(const ProgramSnapshot& snapshot) = nullptr;
};
const std::vector<SnapshotMetric>& SnapshotMetrics();
// "1.02GiB", "4.5 ms", "12"
std::string MetricText(SnapshotMetric::Unit unit, double value);

struct FailRule {
  enum class Kind : uint8_t {
    kAbove,    // a metric above a limit
    kGrowth,   // a metric that grew by more than so much
    kPercent,  // the same, in percent
    kNewOp,    // more instructions of an op, or of an op above a size
    kChanged,  // other values
  };

  std::string text;  // as given
  Kind kind = Kind::kChanged;
  const SnapshotMetric* metric = nullptr;
  double limit = 0;
  std::string op;
  std::optional<int64_t> above;  // bytes
};

// Rules are separated by commas. An error says which one is wrong, and what is accepted.
Result<std::vector<FailRule>> ParseFailRules(std::string_view text);

struct RuleOutcome {
  enum class State : uint8_t { kHeld, kBroken, kUnknown };

  FailRule rule;
  State state = State::kHeld;
  std::string why;  // the figures, or why they cannot be compared
};
std::string_view TextOf(RuleOutcome::State state);

// `same_values` is what a full comparison found; none if there was none: fingerprints decide then.
std::vector<RuleOutcome> CheckRules(const std::vector<FailRule>& rules,
                                    const ProgramSnapshot& before, const ProgramSnapshot& after,
                                    std::optional<bool> same_values);

// Nothing if the fingerprints were made by different versions.
std::optional<bool> SameValues(const ProgramSnapshot& before, const ProgramSnapshot& after);

// "+7.8%"; empty without a change, "new" if it was 0.
std::string ChangeText(double before, double after);

}  // namespace halo

#endif  // HALO_API_SNAPSHOT_FAIL_RULES_H_
