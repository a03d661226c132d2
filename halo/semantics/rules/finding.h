// What the verifier says about a module: each finding names the rule, the instruction and the
// values that broke it. Where that stands in a text is for those who have the text to say.
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
  std::string_view help;  // what to do about it
};

const RuleInfo& InfoOf(Rule rule);
size_t RuleCount();
inline std::string_view TextOf(Rule rule) { return InfoOf(rule).text; }
std::optional<Rule> RuleFromText(std::string_view text);

struct RuleFinding {
  Rule rule;
  CompId comp;  // none when the finding is about the module's header
  InstId inst;  // none when it is about a computation as a whole
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
  // True if another one would only be counted, so that nobody needs to word it.
  [[nodiscard]] bool full() const { return kept_.size() >= max_kept_; }
  void Count(Rule rule);
  // By computation and instruction; what is about the whole module first.
  void Sort();
  // Replaces the kept findings by what `change` makes of each; for ids that were translated.
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
