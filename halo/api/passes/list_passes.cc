// Effects are counted between consecutive states; values are matched only where a state changed.
#include "halo/api/passes/list_passes.h"

#include <algorithm>
#include <set>

#include "halo/api/passes/follow_instruction.h"
#include "halo/diff/diff.h"
#include "halo/diff/fingerprint/fingerprint.h"

namespace halo {
namespace {

constexpr size_t kMostMatched = 50'000;  // instructions of a state

void AddValues(const Module& before, const Module& after, PassEffect& effect) {
  if (std::max(before.insts.size(), after.insts.size()) > kMostMatched) return;
  const ProgramDiff diff = DiffPrograms(before, after);
  if (!diff.refused.empty()) return;
  effect.values_changed = diff.counts.changed + diff.counts.rewired;
  effect.values_added = diff.counts.inserted;
  effect.values_removed = diff.counts.deleted;
  if (!diff.causes.empty()) effect.what = diff.causes.front().what;
}

// Passes that the names announce but that left no state: they changed nothing.
void AddIdle(const std::vector<PassState>& states, PassesResult& result) {
  std::set<std::string> known;
  for (size_t i = 0; i < states.size(); ++i) {
    const std::string& next = states[i].next;
    if (next.empty() || next == "pipeline-end" || states[i].pass.empty()) continue;
    const bool ran =
        i + 1 < states.size() && (states[i + 1].pass == next || states[i + 1].pipeline == next);
    std::string name = states[i].pipeline + "/" + next;
    if (!ran && known.insert(name).second) result.idle.push_back(std::move(name));
  }
}

}  // namespace

PassesResult ListPasses(const Dump& dump, const DumpModule& module, const std::string& follow,
                        const OpenOptions& options) {
  PassesResult result;
  result.module = module.name;
  const std::vector<PassState> states = StatesOf(dump, module);
  result.states = states.size();
  if (states.size() < 2) {
    result.refused = "the dump has " + std::string(states.empty() ? "no state" : "one state") +
                     " of module " + module.name +
                     "; XLA writes one after every pass with --xla_dump_hlo_pass_re=.*";
    return result;
  }
  std::set<std::string> pipelines;
  for (const PassState& state : states) pipelines.insert(state.pipeline);
  Document before, after;
  const Module* last = nullptr;
  uint64_t fingerprint = 0;
  ModuleCounts counts;
  for (const PassState& state : states) {
    const Module* now = OpenState(state, options, after);
    if (now == nullptr) {
      result.unreadable.push_back(state.path);
      continue;
    }
    const uint64_t print = FingerprintModule(*now);
    ModuleCounts now_counts = CountsOf(*now);
    if (last == nullptr) {
      result.first = now_counts;
    } else {
      PassEffect effect;
      effect.state = state;
      effect.changed = print != fingerprint;
      if (effect.changed) {
        effect.instructions = now_counts.instructions - counts.instructions;
        effect.fusions = now_counts.fusions - counts.fusions;
        effect.bytes = now_counts.bytes - counts.bytes;
        effect.opcodes = OpcodeDeltas(counts, now_counts);
        AddValues(*last, *now, effect);
      }
      // What follows a pipeline inside another is the pipeline's result, no pass.
      const bool is_pass = state.is_pass() && !pipelines.contains(state.pass);
      if (effect.changed || is_pass) result.passes.push_back(std::move(effect));
    }
    fingerprint = print;
    counts = std::move(now_counts);
    before = std::move(after);
    last = &before.modules.front().module;
  }
  result.last = counts;
  if (last == nullptr) result.refused = "no state of module " + module.name + " can be read";
  AddIdle(states, result);
  if (!follow.empty() && result.refused.empty()) {
    result.follow = FollowInstruction(states, follow, options);
    if (result.follow.empty()) {
      result.refused = "no state of module " + module.name + " has an instruction " + follow;
    }
  }
  return result;
}

}  // namespace halo
