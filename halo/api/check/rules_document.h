// Every rule and every diagnostic code with its severity and advice: `halo check --rules --json`.
#ifndef HALO_API_CHECK_RULES_DOCUMENT_H_
#define HALO_API_CHECK_RULES_DOCUMENT_H_

#include <string>
#include <string_view>
#include <vector>

#include "haloscope/parts.h"

namespace halo {

namespace documents {

struct ListedRule {
  std::string code, reported_by;
  v0::Severity severity = v0::Severity::kError;
  std::string help;
};

template <class V>
void Fields(V& v, ListedRule& r) {
  v("code", r.code, "as in `diagnostics[].code`");
  v("reported_by", r.reported_by,
    "`reader`, `verifier`, or `assignment`, the checker of buffer assignments");
  v("severity", r.severity, "`error` or `warning`");
  v("help", r.help, "what to do about it; may be empty");
}

struct RulesResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.rules.v2";
  std::vector<ListedRule> rules;
};

template <class V>
void Fields(V& v, RulesResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("rules", r.rules, "what can be wrong with a file");
}

}  // namespace documents

documents::RulesResult AllRules();
std::string RulesJson();

}  // namespace halo

#endif  // HALO_API_CHECK_RULES_DOCUMENT_H_
