// Runs the rest of a command in a child process, the worker, and ends it when its time is up or the
// user interrupts, whatever it is doing. The caller says what the worker does and reports why one
// ended early.
#ifndef TOOLS_HALO_GUARD_SUPERVISE_H_
#define TOOLS_HALO_GUARD_SUPERVISE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "halo/eval/context/eval_diagnostics.h"

namespace halo::tool {

enum class WorkerState : int {
  kWorking,    // reads, compiles or runs: the deadline applies
  kLaunching,  // starts ranks, watches the time itself, and cleans up after them
  kReporting,  // has a result and writes it: the deadline no longer applies
};

// Memory that the worker and its supervisor share.
struct WorkerBoard {
  // The timeout counts from here, for the supervisor and for a worker that starts ranks.
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::atomic<WorkerState> state = WorkerState::kWorking;
  std::atomic<bool> out_of_memory = false;
  std::atomic<uint32_t> written = 0;  // a bit for each output file that is complete

  // Null if the system has no memory for it.
  static std::shared_ptr<WorkerBoard> Create();
};

struct WorkerEnd {
  int pid = 0;
  int exit_code = 0;
  bool was_killed = false;  // it had no chance to clean up
  std::string problem;      // why it has not reported a result; empty if it has
  DiagCode code = diag::kCannotEvaluate;
  std::string help = {};
};

// Nothing in the worker, which continues with the caller's work. In the supervisor: how the worker
// ended. By then, it and all processes it had started are gone. The timeout is in seconds; 0 is
// none. Messages call the work by its name, such as "the run".
std::optional<WorkerEnd> Supervise(double timeout, std::string_view name, const WorkerBoard& board);

}  // namespace halo::tool

#endif  // TOOLS_HALO_GUARD_SUPERVISE_H_
