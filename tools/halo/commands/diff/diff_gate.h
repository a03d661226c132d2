// `halo diff` with --fail-on, --markdown or a snapshot: two versions of a program against rules.
#ifndef TOOLS_HALO_COMMANDS_DIFF_DIFF_GATE_H_
#define TOOLS_HALO_COMMANDS_DIFF_DIFF_GATE_H_

#include <string>

#include "halo/api/snapshot/program_snapshot.h"
#include "tools/halo/session/session.h"

namespace halo::tool {

struct GateFlags {
  std::string rules;  // empty: none
  bool markdown = false;
};

// Prints why a program cannot be read; the process will exit as with wrong usage.
void ComplainAbout(const SnapshotResult& result, Session& session);

// True if the flags or one of the files ask for it.
bool WantsGate(const GateFlags& flags, const Session& session);
// Times are predicted for `device`; by default, for the one that a program was compiled for.
void RunGate(const GateFlags& flags, const std::string& device, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_COMMANDS_DIFF_DIFF_GATE_H_
