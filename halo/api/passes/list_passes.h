// What each pass of a compilation did, and how one instruction went through them. Two states are
// open at a time.
#ifndef HALO_API_PASSES_LIST_PASSES_H_
#define HALO_API_PASSES_LIST_PASSES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halo/api/passes/pass_states.h"
#include "halo/diff/passes/module_counts.h"
#include "haloscope/fields.h"

namespace halo {

struct PassEffect {
  PassState state;  // after the pass
  bool changed = false;
  int64_t instructions = 0, fusions = 0, bytes = 0;  // changes
  std::vector<OpcodeDelta> opcodes;                  // that changed in number, most first
  // Of distinct values; none if the program is too large to match.
  std::optional<int64_t> values_changed, values_added, values_removed;
  std::string what;  // the largest change in words; may be empty
};

template <class V>
void Fields(V& v, PassEffect& r) {
  Fields(v, r.state);
  v("changed", r.changed, "the state differs from the one before");
  v("instructions", r.instructions, "change of their number");
  v("fusions", r.fusions, "change of their number");
  v("bytes", r.bytes, "change", v0::Unit::kBytes);
  constexpr v0::When kMatched{"absent if nothing changed or the program is too large to match"};
  v("values_changed", r.values_changed, "distinct values", kMatched);
  v("values_added", r.values_added, "distinct values", kMatched);
  v("values_removed", r.values_removed, "distinct values", kMatched);
  v("what", r.what, "the largest change in words; may be empty");
  v("opcodes", r.opcodes, "that changed in number, most first");
}

struct FollowStep {
  PassState state;
  std::string event;  // "start", "made", "changed", "gone"
  std::string name, opcode, shape, kernel;
};

template <class V>
void Fields(V& v, FollowStep& r) {
  Fields(v, r.state);
  v("event", r.event, "`start`, `made`, `changed` or `gone`");
  v("name", r.name, "the instruction's name there");
  v("opcode", r.opcode, "");
  v("shape", r.shape, "");
  v("kernel", r.kernel, "the fusion around it; empty if there is none");
}

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

}  // namespace halo

#endif  // HALO_API_PASSES_LIST_PASSES_H_
