// Carrying out what `halo run` and its kin ask for: in this process, in ranks that it starts, or as
// one of them. What is said about the answer is the command's.
#ifndef TOOLS_HALO_COMMANDS_RUN_DRIVER_H_
#define TOOLS_HALO_COMMANDS_RUN_DRIVER_H_

#include <string>

#include <CLI/CLI.hpp>

#include "halo/api/run/run.h"
#include "tools/halo/session/session.h"

namespace halo::tool {

struct RunOptions {
  RunRequest request;
  std::string engine = "compiled";
  std::string cache;
  double timeout = 0;
  bool plan = false;
  bool decisions = false;
  std::string fill;
  std::string max_memory;
  std::string output;
  std::string trace_output;
  std::string timeline;
  std::string save_inputs;
  bool show_inputs = false;
};

// Where inputs come from.
void AddInputOptions(CLI::App& command, RunOptions& options);
// What runs it, on which devices, and how far it may go.
void AddEngineOptions(CLI::App& command, RunOptions& options);

// Says something about the answer, also about one that is none.
using ReportRun = void (*)(const RunOptions& options, const RunAnswer& answer, Session& session);
// Reports in one process: this one, or the first rank.
void DriveRun(RunOptions& options, ReportRun report, Session& session);

// Why there is no answer; the exit code too.
void ComplainOfRun(const RunAnswer& answer, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_COMMANDS_RUN_DRIVER_H_
