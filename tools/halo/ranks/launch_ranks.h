// Starting one process per device with mpirun and looking after them: whoever dies, is stopped or
// takes too long ends the whole run, is named with the instruction it was at, and nothing stays
// behind. What a rank does is rank_process.h's.
#ifndef TOOLS_HALO_RANKS_LAUNCH_RANKS_H_
#define TOOLS_HALO_RANKS_LAUNCH_RANKS_H_

#include <cstdint>
#include <string>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "tools/halo/session/session.h"

namespace halo::tool {

struct LaunchRequest {
  int64_t ranks = 0;
  double timeout = 0;  // seconds; 0: none
};

struct LaunchOutcome {
  bool started = false;  // false: it cannot be done here, and `problem` says why
  int exit_code = 0;     // of the run
  int64_t culprit = -1;  // the rank that ended it, if one did
  std::string problem;   // what happened, in words; empty if the ranks said it themselves
  DiagCode code = diag::kCannotEvaluate;  // of the problem
  int first_pid = 0;                      // of rank 0, which writes the results
};

LaunchOutcome LaunchRanks(const LaunchRequest& request, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_LAUNCH_RANKS_H_
