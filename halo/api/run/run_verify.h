// The verifier's place before a run: the evaluator may rely on what it has passed.
#ifndef HALO_API_RUN_RUN_VERIFY_H_
#define HALO_API_RUN_RUN_VERIFY_H_

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/ir/module.h"

namespace halo {

// True if the module passes; what is wrong with it goes to `diagnostics`.
bool VerifyBeforeRun(const Module& module, Diagnostics& diagnostics);

}  // namespace halo

#endif  // HALO_API_RUN_RUN_VERIFY_H_
