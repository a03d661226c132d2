// The verifier: applies every rule of rules.def to a module. Collects all errors, never stops at
// the first, and takes time linear in the module. The readers report reading errors: whatever could
// not be read is skipped here.
#ifndef HALO_SEMANTICS_VERIFY_VERIFY_H_
#define HALO_SEMANTICS_VERIFY_VERIFY_H_

#include "halo/ir/module.h"
#include "halo/semantics/rules/finding.h"

namespace halo {

struct VerifyOptions {
  bool warnings = true;        // also report what is legal but suspicious
  size_t max_findings = 1000;  // further findings are only counted
};

RuleFindings Verify(const Module& module, const VerifyOptions& options = {});

}  // namespace halo

#endif  // HALO_SEMANTICS_VERIFY_VERIFY_H_
