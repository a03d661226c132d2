// Only results of computations that run as part of the program are stored.
#include "halo/diff/passes/module_counts.h"

#include <algorithm>
#include <cstdlib>

#include "halo/analysis/graph/call_graph.h"
#include "halo/base/capped.h"
#include "halo/ir/op_properties.h"

namespace halo {

ModuleCounts CountsOf(const Module& module) {
  ModuleCounts counts;
  counts.instructions = static_cast<int64_t>(module.insts.size());
  counts.computations = static_cast<int64_t>(module.comps.size());
  const CallGraph calls(module);
  for (const Inst& inst : module.insts) {
    ++counts.opcodes[std::string(module.opcode_text(inst))];
    if (PropertiesOf(inst.opcode).calls == OpCalls::kFuses) ++counts.fusions;
    const OpCategory category = PropertiesOf(inst.opcode).category;
    const bool is_stored = category != OpCategory::kTuple && category != OpCategory::kControl &&
                           category != OpCategory::kParameter && category != OpCategory::kConstant;
    if (!is_stored || calls.context(inst.parent) != CallGraph::Context::kControlFlow) continue;
    counts.bytes = AddCapped(counts.bytes, module.shapes.ByteSize(inst.shape).value_or(0));
  }
  return counts;
}

std::vector<OpcodeDelta> OpcodeDeltas(const ModuleCounts& before, const ModuleCounts& after) {
  std::map<std::string, OpcodeDelta> both;
  for (const auto& [name, count] : before.opcodes) both[name].before = count;
  for (const auto& [name, count] : after.opcodes) both[name].after = count;
  std::vector<OpcodeDelta> changed;
  for (auto& [name, count] : both) {
    if (count.before == count.after) continue;
    count.opcode = name;
    changed.push_back(std::move(count));
  }
  std::sort(changed.begin(), changed.end(), [](const OpcodeDelta& x, const OpcodeDelta& y) {
    const int64_t a = std::abs(x.after - x.before);
    const int64_t b = std::abs(y.after - y.before);
    return a != b ? a > b : x.opcode < y.opcode;
  });
  return changed;
}

}  // namespace halo
