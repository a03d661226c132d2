// No verifier is linked yet, and nothing is claimed to have been verified.
#include "halo/api/run_verify.h"

namespace halo {

bool VerifyBeforeRun(const Module& module, Diagnostics& diagnostics) {
  (void)module;
  (void)diagnostics;
  return false;
}

}  // namespace halo
