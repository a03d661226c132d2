// Shared helpers for pass tests: modules from text and back, the verifier's findings, results
// before and after.
#ifndef HALO_PASSES_TEST_HELPERS_H_
#define HALO_PASSES_TEST_HELPERS_H_

#include <string>
#include <string_view>

#include "halo/base/check.h"
#include "halo/ir/module.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/read/read_text.h"
#include "halo/text/write/write_text.h"

namespace halo {

inline Module ReadModule(std::string_view text) {
  TextReadResult read = ReadHloText(text);
  HALO_CHECK(read.diagnostics.ok());
  return std::move(read.module);
}

// None if there is no such instruction.
inline InstId Named(const Module& module, std::string_view name) {
  for (size_t i = 0; i < module.insts.size(); ++i) {
    if (module.name_of(module.insts[i]) == name) return InstId(i);
  }
  return {};
}

// The verifier's findings; empty if there are none.
inline std::string Problems(const Module& module) {
  VerifyOptions options;
  options.warnings = false;
  std::string text;
  const RuleFindings findings = Verify(module, options);
  for (const RuleFinding& each : findings.all()) {
    text += std::string(TextOf(each.rule)) + ": " + each.message + "\n";
  }
  return text;
}

// The module's text without percent signs and signatures.
inline std::string BodyText(const Module& module) {
  Style style;
  style.percent = false;
  style.program_shapes = false;
  return HloText(module, style);
}

}  // namespace halo

#endif  // HALO_PASSES_TEST_HELPERS_H_
