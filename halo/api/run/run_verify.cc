// Turns the verifier's findings into diagnostics that name computation and instruction.
#include "halo/api/run/run_verify.h"

#include <string>

#include "halo/api/document/run_diagnostics.h"
#include "halo/semantics/verify/verify.h"

namespace halo {

bool VerifyBeforeRun(const Module& module, Diagnostics& diagnostics) {
  constexpr size_t kShown = 20;
  const RuleFindings findings = Verify(module, {.warnings = false, .max_findings = kShown});
  for (const RuleFinding& finding : findings.all()) {
    std::string location;
    if (finding.inst.valid()) {
      location = "%" + std::string(module.name_of(module.inst(finding.inst))) + ": ";
    } else if (finding.comp.valid()) {
      location = "%" + std::string(module.text(module.comp(finding.comp).name)) + ": ";
    }
    diagnostics.Add(MakeBinaryDiagnostic(
        diag::kNotVerified, 0,
        location + finding.message + " (" + std::string(TextOf(finding.rule)) + ")"));
  }
  return findings.ok();
}

}  // namespace halo
