// The verifier: every rule of rules.def applied to a module. Collects all that is wrong, never
// stops at the first, and takes time linear in the module. Reading errors are the readers' to
// report: what could not be read is passed over here.
#ifndef HALO_SEMANTICS_VERIFY_VERIFY_H_
#define HALO_SEMANTICS_VERIFY_VERIFY_H_

#include "halo/ir/module.h"
#include "halo/semantics/rules/finding.h"

namespace halo {

struct VerifyOptions {
  bool warnings = true;        // also what is legal but suspicious
  size_t max_findings = 1000;  // beyond this many they are only counted
};

RuleFindings Verify(const Module& module, const VerifyOptions& options = {});

}  // namespace halo

#endif  // HALO_SEMANTICS_VERIFY_VERIFY_H_
