// What comes next is read from the name, since XLA writes only states that a pass changed.
#include "halo/api/passes/pass_states.h"

#include <map>
#include <tuple>

namespace halo {

std::string PassState::Name() const {
  if (pass.empty()) return pipeline.empty() ? label : "before " + pipeline;
  return pipeline.empty() ? pass : pipeline + "/" + pass;
}

bool PassState::is_pass() const {
  return !pass.empty() && pass != "pipeline-start" && pass != "pipeline-end";
}

std::vector<PassState> StatesOf(const Dump& dump, const DumpModule& module) {
  std::vector<PassState> states;
  std::map<std::pair<std::string, std::string>, int64_t> seen;
  for (const DumpStage& stage : module.stages) {
    const int32_t file = dump.ModuleFileOf(stage);
    if (file < 0) continue;
    PassState state;
    state.label = stage.label();
    state.path = dump.PathOf(file);
    state.pipeline = stage.name.pipeline;
    state.pass = stage.name.role == StageRole::kPass ? stage.name.pass : "";
    constexpr std::string_view kBefore = ".before_";
    const size_t at = state.label.rfind(kBefore);
    if (at != std::string::npos) state.next = state.label.substr(at + kBefore.size());
    const bool is_named = state.pass.empty() && state.pipeline.empty();
    state.occurrence = seen[{state.pipeline, is_named ? state.label : state.pass}]++;
    states.push_back(std::move(state));
  }
  return states;
}

const Module* OpenState(const PassState& state, const OpenOptions& options, Document& document) {
  document = OpenDocument(state.path, options);
  if (document.modules.empty() || document.errors() != 0) return nullptr;
  return &document.modules.front().module;
}

}  // namespace halo
