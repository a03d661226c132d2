// Two versions of a program against rules, for continuous integration: `halo diff --fail-on`.
// Either side is a program or a snapshot of one; with two programs, what changed is known as well.
#ifndef HALO_API_SNAPSHOT_GATE_H_
#define HALO_API_SNAPSHOT_GATE_H_

#include <optional>
#include <string>
#include <vector>

#include "halo/api/snapshot/fail_rules.h"
#include "halo/api/snapshot/program_snapshot.h"
#include "halo/diff/diff.h"

namespace halo {

struct GateResult {
  ProgramSnapshot before, after;
  std::optional<ProgramDiff> diff;  // of two programs
  std::vector<RuleOutcome> outcomes;

  [[nodiscard]] size_t CountOf(RuleOutcome::State state) const;
};

// How the programs relate, in one sentence.
std::string GateVerdict(const GateResult& gate);
// "2 of 4 rules failed"
std::string GateSummary(const GateResult& gate);

// A comment for a pull request: at most kMostMarkdownLines lines, the same bytes for the same
// programs. Names from the programs cannot add markup or mention anyone.
inline constexpr size_t kMostMarkdownLines = 60;
std::string GateMarkdown(const GateResult& gate);

}  // namespace halo

#endif  // HALO_API_SNAPSHOT_GATE_H_
