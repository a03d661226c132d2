// Rules about a module as written, before anything is derived from it or expanded: what XLA's
// readers require and ours accepts, so that a dump with mistakes can still be inspected.
#ifndef HALO_SEMANTICS_VERIFY_VERIFY_SOURCE_H_
#define HALO_SEMANTICS_VERIFY_VERIFY_SOURCE_H_

#include "halo/ir/module.h"
#include "halo/semantics/rules/finding.h"

namespace halo {

void VerifyAttributes(const Module& module, RuleFindings& findings);
// Operands, control predecessors and called computations must come before their users.
void VerifyDefinitionOrder(const Module& module, RuleFindings& findings);

}  // namespace halo

#endif  // HALO_SEMANTICS_VERIFY_VERIFY_SOURCE_H_
