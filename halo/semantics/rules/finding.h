// What the verifier reports about a module: each finding names the rule, the instruction and the
// values that broke it. Callers that have the text map findings to locations in it.
#ifndef HALO_SEMANTICS_RULES_FINDING_H_
#define HALO_SEMANTICS_RULES_FINDING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/ir/module.h"

namespace halo {

enum class Rule : uint16_t {
#define HALO_RULE(name, severity, text, help) k##name,
#include "halo/semantics/rules/rules.def"
};

struct RuleInfo {
  std::string_view text;  // as users see it: "dot-contracting-size"
  Severity severity;
  std::string_view help;  // how to fix it
};

const RuleInfo& InfoOf(Rule rule);
size_t RuleCount();
inline std::string_view TextOf(Rule rule) { return InfoOf(rule).text; }
std::optional<Rule> RuleFromText(std::string_view text);

struct RuleFinding {
  Rule rule;
  CompId comp;  // none if the finding is about the module's header
  InstId inst;  // none if it is about a computation as a whole
  std::string message;
};

class RuleFindings {
 public:
  explicit RuleFindings(size_t max_kept = 1000) : max_kept_(max_kept) {}

  void Add(RuleFinding finding);
  [[nodiscard]] const std::vector<RuleFinding>& all() const { return kept_; }
  [[nodiscard]] size_t errors() const { return errors_; }
  [[nodiscard]] size_t warnings() const { return warnings_; }
  [[nodiscard]] bool ok() const { return errors_ == 0; }
  // Returns true if another finding would only be counted, so its message need not be built.
  [[nodiscard]] bool full() const { return kept_.size() >= max_kept_; }
  void Count(Rule rule);
  // Sorts by computation and instruction; findings about the whole module come first.
  void Sort();
  // Applies `change` to each kept finding, for example to translate ids.
  template <class Change>
  void ForEach(const Change& change) {
    for (RuleFinding& each : kept_) change(each);
  }

 private:
  std::vector<RuleFinding> kept_;
  size_t max_kept_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
};

}  // namespace halo

#endif  // HALO_SEMANTICS_RULES_FINDING_H_
