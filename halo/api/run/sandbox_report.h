// What a front end took away from the process that ran a module, for its answers.
#ifndef HALO_API_RUN_SANDBOX_REPORT_H_
#define HALO_API_RUN_SANDBOX_REPORT_H_

#include <string>

#include "haloscope/run.h"

namespace halo {

using SandboxReport = v0::Sandbox;

// Of libraries, which take nothing away.
SandboxReport InCallersProcess();

// One line without its end.
std::string SandboxText(const SandboxReport& report);

}  // namespace halo

#endif  // HALO_API_RUN_SANDBOX_REPORT_H_
