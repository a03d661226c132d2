// On systems without Landlock and seccomp, nothing is taken away, and the result says so.
#if !defined(__linux__)
#include "tools/halo/guard/sandbox.h"

namespace halo::tool {

SandboxReport EnterSandbox(const SandboxRequest& /*request*/) {
  SandboxReport report;
  report.why_not = "this system has neither Landlock nor seccomp";
  return report;
}

}  // namespace halo::tool

#endif  // !__linux__
