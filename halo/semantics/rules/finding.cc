// The table of rules and the list of findings.
#include "halo/semantics/rules/finding.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace halo {
namespace {

constexpr auto kInfos = std::to_array<RuleInfo>({
#define HALO_RULE(name, severity, text, help) {text, Severity::k##severity, help},
#include "halo/semantics/rules/rules.def"
});

// "None" sorts first: findings about the whole precede those about a part.
uint32_t Rank(uint32_t value) { return value + 1; }

}  // namespace

const RuleInfo& InfoOf(Rule rule) { return kInfos[static_cast<size_t>(rule)]; }

size_t RuleCount() { return kInfos.size(); }

std::optional<Rule> RuleFromText(std::string_view text) {
  for (size_t i = 0; i < kInfos.size(); ++i) {
    if (kInfos[i].text == text) return static_cast<Rule>(i);
  }
  return std::nullopt;
}

void RuleFindings::Count(Rule rule) {
  ++(InfoOf(rule).severity == Severity::kError ? errors_ : warnings_);
}

void RuleFindings::Add(RuleFinding finding) {
  Count(finding.rule);
  if (!full()) kept_.push_back(std::move(finding));
}

void RuleFindings::Sort() {
  std::sort(kept_.begin(), kept_.end(), [](const RuleFinding& a, const RuleFinding& b) {
    return std::tuple(Rank(a.comp.value), Rank(a.inst.value), a.rule, std::string_view(a.message)) <
           std::tuple(Rank(b.comp.value), Rank(b.inst.value), b.rule, std::string_view(b.message));
  });
}

}  // namespace halo
