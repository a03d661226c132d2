// Executes what `halo run` and related commands request: in a process that it starts and watches,
// in ranks, or as one of the ranks. The command decides what to print about the result.
#ifndef TOOLS_HALO_COMMANDS_RUN_DRIVER_H_
#define TOOLS_HALO_COMMANDS_RUN_DRIVER_H_

#include <string>

#include <CLI/CLI.hpp>

#include "halo/api/run/run.h"
#include "haloscope/run.h"
#include "tools/halo/session/session.h"

namespace halo::tool {

// Unlike the library, the command has the compiled engine with it.
inline v0::RunRequest CompiledIfPossible() {
  v0::RunRequest asked;
  asked.engine = "compiled";
  return asked;
}

struct RunOptions {
  v0::RunRequest asked = CompiledIfPossible();
  RunRequest request;  // what `asked` does not have; DriveRun adds the rest
  std::string cache;
  double timeout = 0;
  bool has_sandbox = true;
  bool requires_sandbox = false;
  bool plan = false;
  std::string output;
  std::string trace_output;
  std::string timeline;
  std::string save_inputs;
  bool show_inputs = false;
  std::string hosts;  // "a:4,b:4"; empty: this machine only
  std::string agent;  // command that starts programs on hosts
};

// Options for where inputs come from, and for what the dump does not contain: elided constants and
// unknown custom calls.
void AddInputOptions(CLI::App& command, v0::ExecutionRequest& asked);
// Options for the processes that run the module, after those of the request.
void AddEngineOptions(CLI::App& command, RunOptions& options);

// Prints the result, or why there is none.
using ReportRun = void (*)(const RunOptions& options, const RunResult& result, Session& session);
// Reports in only one process: the one that ran the module, the first rank, or this one if they
// could not. The caller returns in the worker too, which then exits like any other command.
void DriveRun(RunOptions& options, ReportRun report, Session& session);

// Prints why there is no result, and sets the exit code.
void ComplainOfRun(const RunResult& result, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_COMMANDS_RUN_DRIVER_H_
