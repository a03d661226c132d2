// What a front end took away from the process that ran a module, for its answers.
#ifndef HALO_API_RUN_SANDBOX_REPORT_H_
#define HALO_API_RUN_SANDBOX_REPORT_H_

#include <optional>
#include <string>

namespace halo {

class JsonWriter;

struct SandboxReport {
  bool files = false;    // all files but the named ones
  bool network = false;  // the network, other programs and other processes
  std::string why_not;   // empty if both

  [[nodiscard]] bool is_complete() const { return files && network; }
};

// Of libraries, which take nothing away.
SandboxReport InCallersProcess();

// One line without its end.
std::string SandboxText(const SandboxReport& report);
// The field `sandbox`; absent if no process ran anything.
void SandboxJson(const std::optional<SandboxReport>& report, JsonWriter& json);

}  // namespace halo

#endif  // HALO_API_RUN_SANDBOX_REPORT_H_
