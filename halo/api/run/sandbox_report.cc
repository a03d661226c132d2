// The words for a sandbox, the same in the text of every command and in the answers for agents.
#include "halo/api/run/sandbox_report.h"

namespace halo {

SandboxReport InCallersProcess() {
  return {.why_not = "a library runs programs in the process that calls it"};
}

std::string SandboxText(const SandboxReport& report) {
  constexpr const char* kFiles = "no files but the named ones";
  constexpr const char* kNetwork = "no network, no other programs";
  if (report.is_complete()) return std::string("in a sandbox: ") + kNetwork + ", " + kFiles;
  if (!report.files && !report.network) return "not in a sandbox: " + report.why_not;
  return std::string("in a part of the sandbox: ") + (report.files ? kFiles : kNetwork) + "; " +
         report.why_not;
}

}  // namespace halo
