// Two versions of a program against rules as users see them: `halo diff --fail-on --json`.
#ifndef HALO_API_SNAPSHOT_GATE_DOCUMENT_H_
#define HALO_API_SNAPSHOT_GATE_DOCUMENT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/snapshot/gate.h"
#include "haloscope/parts.h"

namespace halo::documents {

struct GateMetric {
  std::string name;
  std::optional<double> before, after;
};

template <class V>
void Fields(V& v, GateMetric& r) {
  v("name", r.name,
    "`peak`, `memory`, `temp`, `time`, `instructions`, `copies`, `collectives` or "
    "`collective-bytes`, as in rules");
  v("before", r.before, "of A, in bytes or seconds");
  v("after", r.after, "of B");
}

struct GateRule {
  std::string rule, state, why;
};

template <class V>
void Fields(V& v, GateRule& r) {
  v("rule", r.rule, "as given");
  v("state", r.state, "`passed`, `failed`, or `unknown` if it cannot be checked");
  v("why", r.why, "the figures, or why they cannot be compared");
}

struct GateResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.gate.v1";

  std::string program;
  bool ok = false;
  std::string verdict;
  std::vector<GateMetric> metrics;
  std::vector<GateRule> rules;
};

template <class V>
void Fields(V& v, GateResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("program", r.program, "the name of B's module");
  v("ok", r.ok, "every rule passed");
  v("verdict", r.verdict, "how the programs relate, in one sentence");
  v("metrics", r.metrics, "figures that at least one side has");
  v("rules", r.rules, "in the order given");
}

}  // namespace halo::documents

namespace halo {

// The paths are those of the two inputs.
documents::GateResult GateDocument(const GateResult& gate, std::string_view before,
                                   std::string_view after);
std::string GateJson(const GateResult& gate, std::string_view before, std::string_view after);

}  // namespace halo

#endif  // HALO_API_SNAPSHOT_GATE_DOCUMENT_H_
