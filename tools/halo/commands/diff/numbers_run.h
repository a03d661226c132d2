// `halo diff --run` and `halo passes --run`: programs are run in a guarded process and compared.
#ifndef TOOLS_HALO_COMMANDS_DIFF_NUMBERS_RUN_H_
#define TOOLS_HALO_COMMANDS_DIFF_NUMBERS_RUN_H_

#include <string>
#include <vector>

#include "halo/api/passes/pass_states.h"
#include "tools/halo/commands/run_driver.h"
#include "tools/halo/guard/guarded_work.h"
#include "tools/halo/session/session.h"

namespace halo::tool {

struct NumbersFlags {
  bool run = false;
  bool every = false;  // states, not only those that bisection needs
  v0::ExecutionRequest asked;
  WorkLimits limits;
  std::string reproducer;  // folder; empty: none
};

// --run and what it needs; --every if the command has states of one compilation.
void AddNumbersOptions(CLI::App& command, NumbersFlags& flags, bool has_states);

// Compares session.files[0] with session.files[1].
void RunNumbers(NumbersFlags& flags, Session& session);
// Finds the pass after which results differ.
void RunBrokenPass(NumbersFlags& flags, const std::string& path, const std::string& module,
                   const std::vector<PassState>& states, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_COMMANDS_DIFF_NUMBERS_RUN_H_
