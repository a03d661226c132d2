// What is an output of a fusion decides which of XLA's emitters writes its code, and with it how
// many elements a thread has.
#include "halo/cost/predict/gpu_threads.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "halo/cost/count/op_demand.h"
#include "halo/cost/count/traffic.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr double kColumnsOfBlock = 32;

// What an instruction returns, behind tuples and bitcasts, in the computation that computes it.
std::vector<InstId> OutputsOf(const Module& module, InstId id) {
  if (const CompId fused = BodyOfFusion(module, module.inst(id)); fused.valid()) {
    id = module.comp(fused).root;
    if (!id.valid()) return {};
  }
  std::vector<InstId> outputs = {id};
  if (FlowOf(module.inst(id).opcode) == OpFlow::kTuple) {
    const std::span<const InstId> parts = module.operands_of(module.inst(id));
    outputs.assign(parts.begin(), parts.end());
  }
  std::erase_if(outputs, [](InstId each) { return !each.valid(); });
  for (InstId& each : outputs) each = BehindBitcasts(module, each);
  return outputs;
}

double Elements(const Module& module, InstId id) {
  return static_cast<double>(module.shapes.ElementCount(module.inst(id).shape).value_or(0));
}

}  // namespace

double ThreadsOfOneElement(const Module& module, InstId inst) {
  const std::vector<InstId> outputs = OutputsOf(module, inst);
  if (outputs.empty()) return 0;
  const auto all = [&](Opcode opcode) {
    return std::ranges::all_of(outputs,
                               [&](InstId each) { return module.inst(each).opcode == opcode; });
  };
  if (all(Opcode::kDynamicUpdateSlice)) {
    // Several updates of one fusion have the same shape, and a thread does one element of each.
    const std::span<const InstId> operands = module.operands_of(module.inst(outputs[0]));
    return operands.size() > 1 && operands[1].valid() ? Elements(module, operands[1]) : 0;
  }
  if (outputs.size() < 2 || !all(Opcode::kSlice)) return 0;
  double elements = 0;
  for (const InstId each : outputs) elements += Elements(module, each);
  return elements;
}

double ShareOfCores(const Module& module, const Kernel& kernel, double cores) {
  const Inst& inst = module.inst(kernel.hero);
  if (inst.opcode != Opcode::kReduce || cores <= 0) return 1;
  const std::span<const InstId> operands = module.operands_of(inst);
  if (operands.empty() || !operands[0].valid()) return 1;
  const ShapeId operand = module.inst(operands[0]).shape;
  const std::span<const int64_t> dims = module.shapes.dims(operand);
  if (dims.empty()) return 1;
  const Layout* layout = module.shapes.layout(operand);
  const auto minor = layout == nullptr || layout->minor_to_major.size() != dims.size()
                         ? static_cast<int64_t>(dims.size() - 1)
                         : static_cast<int64_t>(layout->minor_to_major[0]);
  const std::span<const int64_t> reduced = module.IntsOf(inst.attrs, AttrKey::k_dimensions);
  if (std::ranges::find(reduced, minor) != reduced.end()) return 1;
  double columns = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool stays = std::ranges::find(reduced, static_cast<int64_t>(i)) == reduced.end();
    if (stays) columns *= static_cast<double>(std::max<int64_t>(dims[i], 1));
  }
  return std::clamp(columns / kColumnsOfBlock / cores, 1 / cores, 1.0);
}

}  // namespace halo
