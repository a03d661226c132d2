// What each pass of a compilation did, and how one instruction went through them. Two states are
// open at a time.
#ifndef HALO_API_PASSES_LIST_PASSES_H_
#define HALO_API_PASSES_LIST_PASSES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "halo/api/passes/pass_states.h"
#include "halo/diff/passes/module_counts.h"

namespace halo {

struct PassEffect {
  PassState state;  // after the pass
  bool changed = false;
  int64_t instructions = 0, fusions = 0, bytes = 0;  // changes
  std::vector<OpcodeDelta> opcodes;                  // that changed in number, most first
  // Of distinct values; -1 if the program is too large to match.
  int64_t values_changed = -1, values_added = -1, values_removed = -1;
  std::string what;  // the largest change in words; may be empty
};

struct FollowStep {
  PassState state;
  std::string event;  // "start", "made", "changed", "gone"
  std::string name, opcode, shape, kernel;
};

struct PassesResult {
  std::string refused;  // why there is no result
  std::string module;
  size_t states = 0;
  ModuleCounts first, last;
  std::vector<PassEffect> passes;       // in order; without those of `idle`
  std::vector<std::string> idle;        // passes that ran and left no state, once each
  std::vector<FollowStep> follow;       // where the instruction was made, changed and removed
  std::vector<std::string> unreadable;  // paths
};

PassesResult ListPasses(const Dump& dump, const DumpModule& module, const std::string& follow,
                        const OpenOptions& options);
std::string PassesJson(const PassesResult& result, const std::string& path);

}  // namespace halo

#endif  // HALO_API_PASSES_LIST_PASSES_H_
