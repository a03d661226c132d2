// Lists the codes of all layers, each of which has a table.
#include "halo/api/check/rules_document.h"

#include "halo/api/document/all_diagnostics.h"
#include "halo/describe/write_json.h"
#include "halo/memory/check/violation.h"
#include "halo/semantics/rules/finding.h"

namespace halo {
namespace {

documents::ListedRule RuleOf(std::string_view code, std::string_view reported_by, Severity severity,
                             std::string_view help) {
  return {std::string(code), std::string(reported_by),
          severity == Severity::kError ? v0::Severity::kError : v0::Severity::kWarning,
          std::string(help)};
}

}  // namespace

documents::RulesResult AllRules() {
  documents::RulesResult all;
  for (const DiagCode& code : AllDiagnostics()) {
    all.rules.push_back(RuleOf(code.text, "reader", code.severity, code.help));
  }
  for (size_t i = 0; i < RuleCount(); ++i) {
    const auto& info = InfoOf(static_cast<Rule>(i));
    all.rules.push_back(RuleOf(info.text, "verifier", info.severity, info.help));
  }
  for (size_t i = 0; i < FindingKindCount(); ++i) {
    const auto& info = InfoOf(static_cast<FindingKind>(i));
    all.rules.push_back(RuleOf(info.text, "assignment", Severity::kError, info.help));
  }
  return all;
}

std::string RulesJson() { return describe::DocumentJson(AllRules()); }

}  // namespace halo
