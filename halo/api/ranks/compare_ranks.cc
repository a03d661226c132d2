// States are aligned by module and stage. The first pair that differs says since when; the
// collectives and the causes come from the modules as compiled.
#include "halo/api/ranks/compare_ranks.h"

#include <algorithm>
#include <map>

#include "halo/base/strings/human_size.h"
#include "halo/diff/diff.h"
#include "halo/diff/explain/config_change.h"
#include "halo/diff/fingerprint/fingerprint.h"

namespace halo {
namespace {

constexpr size_t kMostCausesOfRanks = 8;
constexpr size_t kMostConfigs = 24;

using StateOf = std::map<std::pair<std::string, std::string>, const RankedState*>;

const Module* ModuleOf(const Document& document) {
  return document.modules.empty() || document.errors() != 0 ? nullptr
                                                            : &document.modules.front().module;
}

std::string StateText(const RankedState& state) {
  return state.pass.empty() ? state.stage : "after " + state.pass + " (" + state.stage + ")";
}

std::string StepText(const Module& module, const std::vector<CollectiveStep>& steps, size_t i) {
  return i < steps.size() ? std::string(module.name_of(module.inst(steps[i].inst)))
                          : std::string("nothing");
}

// Names the first collective that differs.
void CompareCollectives(const Module& before, const Module& after, std::vector<std::string>& out) {
  const std::vector<CollectiveStep> old_steps = CollectiveSequence(before);
  const std::vector<CollectiveStep> new_steps = CollectiveSequence(after);
  const size_t count = std::max(old_steps.size(), new_steps.size());
  for (size_t i = 0; i < count; ++i) {
    if (i < old_steps.size() && i < new_steps.size() &&
        old_steps[i].digest == new_steps[i].digest) {
      continue;
    }
    out.push_back("collectives differ from number " + std::to_string(i + 1) + " on: " +
                  StepText(before, old_steps, i) + " became " + StepText(after, new_steps, i));
    return;
  }
  if (count != 0) {
    out.push_back(Counted(static_cast<int64_t>(count), "collective") + ", in the same order");
  }
}

std::string_view ConfigByName(const Module& module, const std::string& name) {
  for (const Inst& inst : module.insts) {
    if (module.name_of(inst) == name) return module.TextOr(inst.attrs, AttrKey::k_backend_config);
  }
  return {};
}

void AddCauseSentences(const Module& before, const Module& after, const ProgramDiff& diff,
                       std::vector<std::string>& out) {
  for (size_t i = 0; i < std::min(diff.causes.size(), kMostCausesOfRanks); ++i) {
    const DiffCause& cause = diff.causes[i];
    out.push_back(std::string(TextOf(cause.kind)) + ": " + cause.what +
                  (cause.count == 1 ? "" : ", " + GroupedDigits(cause.count) + " times"));
    if (cause.kind != CauseKind::kConfig) continue;
    for (size_t k = 0; k < std::min(cause.places.size(), kMostConfigs); ++k) {
      const DiffPlace& place = cause.places[k];
      out.push_back("  " + place.after + ": " +
                    DescribeConfigChange(ConfigByName(before, place.before),
                                         ConfigByName(after, place.after)));
    }
  }
  if (diff.causes.size() > kMostCausesOfRanks) {
    out.push_back("and " + Counted(static_cast<int64_t>(diff.causes.size() - kMostCausesOfRanks),
                                   "smaller change"));
  }
}

void CompareMain(const RankedState& before, const RankedState& after, const OpenOptions& options,
                 std::vector<std::string>& out) {
  const Document old_document = OpenDocument(before.path, options);
  const Document new_document = OpenDocument(after.path, options);
  const Module* old_module = ModuleOf(old_document);
  const Module* new_module = ModuleOf(new_document);
  if (old_module == nullptr || new_module == nullptr) {
    out.push_back(after.module + " cannot be read on one of the ranks");
    return;
  }
  if (FingerprintModule(*old_module) == FingerprintModule(*new_module)) return;
  const ProgramDiff diff = DiffPrograms(*old_module, *new_module);
  out.push_back(after.module + ": " + (diff.refused.empty() ? diff.verdict : diff.refused));
  CompareCollectives(*old_module, *new_module, out);
  AddCauseSentences(*old_module, *new_module, diff, out);
}

// The first state that differs, if there are states before the main one.
void CompareStates(const std::vector<RankedState>& before, const StateOf& after,
                   const OpenOptions& options, std::vector<std::string>& out) {
  std::map<std::string, std::string> last_equal;  // by module
  for (const RankedState& state : before) {
    const auto found = after.find({state.module, state.stage});
    if (found == after.end()) continue;
    const Document old_document = OpenDocument(state.path, options);
    const Document new_document = OpenDocument(found->second->path, options);
    const Module* old_module = ModuleOf(old_document);
    const Module* new_module = ModuleOf(new_document);
    const bool same = old_module != nullptr && new_module != nullptr &&
                      FingerprintModule(*old_module) == FingerprintModule(*new_module);
    if (same) {
      last_equal[state.module] = StateText(state);
      continue;
    }
    const std::string& equal = last_equal[state.module];
    out.push_back(state.module + " differs first " + (state.pass.empty() ? "in " : "") +
                  StateText(state) + (equal.empty() ? "" : "; the last equal state is " + equal));
    return;
  }
}

}  // namespace

std::vector<std::string> CompareRanks(const std::vector<RankedState>& before,
                                      const std::vector<RankedState>& after,
                                      const OpenOptions& options) {
  std::vector<std::string> out;
  StateOf old_states, new_states;
  for (const RankedState& state : before) old_states[{state.module, state.stage}] = &state;
  for (const RankedState& state : after) new_states[{state.module, state.stage}] = &state;
  for (const RankedState& state : after) {
    if (state.is_main && !old_states.contains({state.module, state.stage})) {
      out.push_back("only here: " + state.module + " " + state.stage);
    }
  }
  for (const RankedState& state : before) {
    if (state.is_main && !new_states.contains({state.module, state.stage})) {
      out.push_back("missing here: " + state.module + " " + state.stage);
    }
  }
  CompareStates(before, new_states, options, out);
  for (const RankedState& state : before) {
    const auto found = new_states.find({state.module, state.stage});
    if (state.is_main && found != new_states.end()) {
      CompareMain(state, *found->second, options, out);
    }
  }
  if (out.empty()) out.push_back("only the buffer assignments differ");
  return out;
}

}  // namespace halo
