// Joins what profilers measured with the instructions of a module: by program, then by the name of
// the op. Comparing the result with predictions is left to the caller.
#ifndef HALO_COST_MEASURED_JOIN_PROFILES_H_
#define HALO_COST_MEASURED_JOIN_PROFILES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/analysis/graph/run_counts.h"
#include "halo/ir/module.h"
#include "halo/profile/profile_data.h"

namespace halo {

struct ProfileJoinOptions {
  std::optional<uint64_t> program;  // the module's number in its dump, if known
  std::optional<size_t> step;       // only this execution of the program on each device
};

struct MeasuredInst {
  size_t events = 0;   // executions that joined
  double seconds = 0;  // of one run: the median over steps and devices
};

// An op that events name but the module does not have.
struct UnknownOp {
  std::string name;
  size_t events = 0;
};

struct MeasuredModule {
  std::vector<MeasuredInst> insts;    // by InstId
  std::vector<std::string> programs;  // that were joined, as the profiles call them
  std::string why;                    // how they were chosen
  size_t events = 0;                  // of the profiles that name an op
  size_t joined = 0;                  // of these, with an instruction
  size_t other_programs = 0;          // of these, of other programs
  size_t other_steps = 0;             // of these, of steps that were not asked for
  size_t unnamed = 0;                 // further events of devices that name no op
  size_t launches = 0;                // further events of the host that name an op
  std::vector<UnknownOp> unknown;     // of these programs, but not in the module
  size_t unknown_events = 0;
  size_t devices = 0;
  size_t steps = 0;  // executions of the program, on all devices
  // Of one execution: from the first op to the last.
  double step_seconds = 0;  // the median
  double shortest_step = 0, longest_step = 0;
};

// `runs` is CountRuns of the module.
MeasuredModule JoinProfiles(const Module& module, std::span<const RunCount> runs,
                            std::span<const Profile> profiles, const ProfileJoinOptions& options);

}  // namespace halo

#endif  // HALO_COST_MEASURED_JOIN_PROFILES_H_
