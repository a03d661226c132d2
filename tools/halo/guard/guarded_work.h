// Runs a command's work on a stranger's module in a child process with limits of time and memory
// and, if the command runs or compiles it, without the network and without files that it does not
// need. The command says what it reads and writes; what it prints and why it ends stay its own
// decisions. `halo run` also starts ranks and does this itself (run_driver.cc).
#ifndef TOOLS_HALO_GUARD_GUARDED_WORK_H_
#define TOOLS_HALO_GUARD_GUARDED_WORK_H_

#include <functional>
#include <string>
#include <vector>

#include "tools/halo/session/session.h"

namespace halo::tool {

struct WorkLimits {
  double timeout = 0;  // seconds; 0 is none
  std::string max_memory;
  bool has_sandbox = true;
};

struct GuardedWork {
  std::string name;                  // what messages call it: "halo compile"
  std::string input;                 // the file that it reads, named in messages
  std::vector<std::string> reads;    // more files that it reads
  std::vector<std::string> outputs;  // files that it writes; empty names and "-" are left out
  std::string folder;                // whose files it writes; empty if there is none
  // Does the work and prints the result. It calls its argument when it has one: from then on the
  // timeout no longer applies.
  std::function<void(const std::function<void()>& has_result)> work;
};

void AddMaxMemoryOption(CLI::App& command, std::string& text);
// --timeout and --max-memory, for commands that only read.
void AddReadLimitOptions(CLI::App& command, WorkLimits& limits);
// These and --no-sandbox.
void AddLimitOptions(CLI::App& command, WorkLimits& limits);

// The caller returns in the worker too, which then exits like any other command.
void RunGuarded(const WorkLimits& limits, const GuardedWork& guarded, Session& session);
// For commands that only read: with the limits of time and memory, and no sandbox.
void RunLimited(WorkLimits limits, const GuardedWork& guarded, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_GUARD_GUARDED_WORK_H_
