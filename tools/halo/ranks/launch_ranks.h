// Starts one process per device with mpirun and supervises them. If a rank dies, is stopped or
// takes too long, the whole run ends, the rank is reported with its current instruction, and
// nothing is left behind. rank_process.h decides what a rank does.
#ifndef TOOLS_HALO_RANKS_LAUNCH_RANKS_H_
#define TOOLS_HALO_RANKS_LAUNCH_RANKS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "tools/halo/ranks/host_list.h"
#include "tools/halo/session/session.h"

namespace halo::tool {

struct LaunchRequest {
  int64_t ranks = 0;
  HostList hosts;      // empty: this machine only
  std::string agent;   // command that starts programs on hosts; empty: mpirun's default
  double timeout = 0;  // seconds from `begin` on; 0: none
  std::chrono::steady_clock::time_point begin;
};

struct LaunchOutcome {
  bool started = false;                   // false: not possible here, and `problem` says why
  int exit_code = 0;                      // of the run
  int64_t culprit = -1;                   // the rank that caused the end, if one did
  std::string problem;                    // what happened; empty if the ranks printed it themselves
  DiagCode code = diag::kCannotEvaluate;  // of the problem
  int first_pid = 0;                      // of rank 0, which writes the results
};

LaunchOutcome LaunchRanks(const LaunchRequest& request, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_LAUNCH_RANKS_H_
