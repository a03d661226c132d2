// Runs the verifier before a run: the evaluator may rely on what it accepts.
#ifndef HALO_API_RUN_RUN_VERIFY_H_
#define HALO_API_RUN_RUN_VERIFY_H_

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/ir/module.h"

namespace halo {

// True if the module passes; otherwise the problems go to `diagnostics`.
bool VerifyBeforeRun(const Module& module, Diagnostics& diagnostics);

}  // namespace halo

#endif  // HALO_API_RUN_RUN_VERIFY_H_
