// An instruction is followed as the value it computes, by matching consecutive states.
#include "halo/api/passes/follow_instruction.h"

#include <optional>

#include "halo/diff/match/matched_programs.h"
#include "halo/diff/peak/stored_values.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

InstId FindInst(const Module& module, std::string_view name) {
  if (name.starts_with('%')) name.remove_prefix(1);
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    if (module.name_of(module.insts[i]) == name) return InstId(i);
  }
  return {};
}

FollowStep StepAt(const PassState& state, const Module& module, InstId inst, InstId kernel,
                  std::string event) {
  FollowStep step;
  step.state = state;
  step.event = std::move(event);
  step.name = module.name_of(module.inst(inst));
  step.opcode = module.opcode_text(module.inst(inst));
  step.shape = module.shapes.Text(module.inst(inst).shape, true);
  if (kernel.valid() && kernel != inst) step.kernel = module.name_of(module.inst(kernel));
  return step;
}

bool Differs(const FollowStep& x, const FollowStep& y) {
  return x.name != y.name || x.opcode != y.opcode || x.shape != y.shape ||
         x.kernel.empty() != y.kernel.empty();
}

// The counterpart of an instruction in the other of two states; invalid if there is none.
struct Counterpart {
  InstId inst, kernel;
};
Counterpart FindCounterpart(const MatchedPrograms& programs, InstId inst, bool forwards) {
  const Module& from = forwards ? programs.a : programs.b;
  const Module& to = forwards ? programs.b : programs.a;
  const ValueGraph& from_graph = forwards ? programs.graph_a : programs.graph_b;
  const ClassGraph& from_classes = forwards ? programs.classes_a : programs.classes_b;
  const ClassGraph& to_classes = forwards ? programs.classes_b : programs.classes_a;
  const ResolvedValue value = ValueResolver(from, from_graph).Resolve(inst, 0);
  if (value.node == kUnmatched) return {};
  const uint32_t number = from_classes.class_of(value.node);
  const uint32_t other = forwards ? programs.match.to_b[number] : programs.match.to_a[number];
  if (other == kUnmatched) return {};
  // Of equal values, the one that kept its name.
  const ValueGraph& to_graph = to_classes.graph();
  const std::string_view name = from.name_of(from.inst(inst));
  for (const uint32_t member : to_classes.members(other)) {
    const ValueNode& node = to_graph.nodes[member];
    if (to.name_of(to.inst(node.inst)) == name) return {node.inst, node.kernel};
  }
  return {to_classes.node(other).inst, to_classes.node(other).kernel};
}

// The states at which something changed, from how it looks at each.
std::vector<FollowStep> Changes(const std::vector<PassState>& states,
                                const std::vector<std::optional<FollowStep>>& looks) {
  std::vector<FollowStep> steps;
  for (size_t i = 0; i < looks.size(); ++i) {
    if (!looks[i]) {
      if (steps.empty()) continue;
      steps.push_back(steps.back());
      steps.back().state = states[i];
      steps.back().event = "gone";
      break;
    }
    if (!steps.empty() && !Differs(*looks[i], steps.back())) continue;
    FollowStep step = *looks[i];
    step.event = !steps.empty() ? "changed" : i == 0 ? "start" : "made";
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

std::vector<FollowStep> FollowInstruction(const std::vector<PassState>& states,
                                          const std::string& name, const OpenOptions& options) {
  Document document;
  size_t at = states.size();
  InstId found;
  while (at > 0 && !found.valid()) {
    const Module* module = OpenState(states[--at], options, document);
    if (module != nullptr) found = FindInst(*module, name);
  }
  if (!found.valid()) return {};
  const Module& module = document.modules.front().module;
  const ValueGraph graph = BuildValueGraph(module);
  const ResolvedValue value = ValueResolver(module, graph).Resolve(found, 0);
  InstId kernel;
  if (value.node != kUnmatched) {
    const ValueNode& node = graph.nodes[value.node];
    // A fusion is followed as what it computes.
    if (PropertiesOf(module.inst(found).opcode).calls == OpCalls::kFuses) found = node.inst;
    if (node.inst == found) kernel = node.kernel;
  }
  // How it looks at each state that has it.
  std::vector<std::optional<FollowStep>> looks(states.size());
  looks[at] = StepAt(states[at], module, found, kernel, "");
  for (const bool forwards : {false, true}) {
    InstId inst = found;
    Document current;
    if (OpenState(states[at], options, current) == nullptr) return {};
    size_t i = at;
    while (forwards ? i + 1 < states.size() : i > 0) {
      i = forwards ? i + 1 : i - 1;
      Document other;
      if (OpenState(states[i], options, other) == nullptr) break;
      const Module& now = current.modules.front().module;
      const Module& then = other.modules.front().module;
      const MatchedPrograms programs(forwards ? now : then, forwards ? then : now);
      const Counterpart match = FindCounterpart(programs, inst, forwards);
      if (!match.inst.valid()) break;
      looks[i] = StepAt(states[i], then, match.inst, match.kernel, "");
      inst = match.inst;
      current = std::move(other);
    }
  }
  return Changes(states, looks);
}

}  // namespace halo
