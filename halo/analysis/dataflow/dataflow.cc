// Queries on a finished Dataflow. Building one is in dataflow_builder.cc.
#include "halo/analysis/dataflow/dataflow.h"

#include <algorithm>

#include "halo/analysis/dataflow/dataflow_builder.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr size_t kAlwaysRead = size_t{1} << 21;  // in small programs

// Whether instructions read more arrays, each as often as it is read with a tuple. Real programs
// read a tuple whole a few times, in loops and calls that return one as wide.
bool ReadMoreThan(size_t most, const Module& module, const ShapeTrees& trees) {
  size_t read = 0;
  for (const Inst& inst : module.insts) {
    const OpFlow flow = FlowOf(inst.opcode);
    if (flow == OpFlow::kElement || flow == OpFlow::kTuple || flow == OpFlow::kCopy) continue;
    for (const InstId operand : module.operands_of(inst)) {
      read += trees.count(module.inst(operand).shape);
    }
    if (read > most) return true;
  }
  return false;
}

}  // namespace

Dataflow::Dataflow(const Module& module, std::span<const CompId> numbered)
    : module_(module),
      trees_(module.shapes),
      calls_(module),
      users_(module),
      asyncs_(module, users_) {
  if (!trees_.ok()) problem_ = "its tuples have too many elements";
  if (calls_.cyclic().valid()) problem_ = "a computation calls itself";
  if (!module.entry.valid()) problem_ = "it has no entry computation";
  size_t total = 0;
  for (const Inst& inst : module.insts) {
    total += problem_.empty() ? trees_.count(inst.shape) : 0;
    if ((inst.flags & kInstBadOperands) != 0) problem_ = "it was read with errors";
  }
  if (total >= UINT32_MAX) problem_ = "its tuples have too many elements";
  if (problem_.empty() && ReadMoreThan(16 * total + kAlwaysRead, module, trees_)) {
    problem_ = "too many instructions read the same wide tuples";
  }
  if (!problem_.empty()) return;
  IndexWide();
  Builder(*this).Build(numbered);
  GatherDeepUsers();
  GatherPositions();
}

void Dataflow::GatherPositions() {
  std::vector<size_t> next(values_.size() + 1, 0);
  for (size_t i = 0; i < values_.size(); ++i) next[i + 1] = values_[i].exists ? 1 : 0;
  const auto for_each_other_position = [&](const auto& visit) {
    for (const CompId comp : module_.order) {
      const Computation& computation = module_.comp(comp);
      for (uint32_t i = 0; i < computation.count; ++i) {
        const InstId inst(computation.first + i);
        const uint32_t begin = begins_[inst.index()];
        for (uint32_t node = 0; begin + node < begins_[inst.index() + 1]; ++node) {
          const FlowId value(at_[begin + node]);
          if (value.valid() && values_[value.index()].defined.inst != inst) {
            visit(value, Position{inst, node});
          }
        }
      }
    }
  };
  for_each_other_position([&](FlowId value, Position) { ++next[value.index() + 1]; });
  for (size_t i = 0; i < values_.size(); ++i) next[i + 1] += next[i];
  position_begins_ = next;
  positions_.resize(next.back());
  for (size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].exists) positions_[next[i]++] = values_[i].defined;
  }
  for_each_other_position(
      [&](FlowId value, Position position) { positions_[next[value.index()]++] = position; });
}

void Dataflow::GatherDeepUsers() {
  deep_begins_.assign(module_.insts.size() + 1, 0);
  for (size_t i = 0; i < module_.insts.size(); ++i) {
    const InstId inst(i);
    if (trees_.count(module_.inst(inst).shape) > 1) {
      for (const InstId user : users_.of(inst)) {
        const Opcode opcode = module_.inst(user).opcode;
        const bool passes_on = opcode == Opcode::kGetTupleElement || opcode == Opcode::kCopy ||
                               opcode == Opcode::kTuple || opcode == Opcode::kDomain;
        if (!passes_on || is_root(user)) deep_users_.push_back(user);
      }
    }
    deep_begins_[i + 1] = static_cast<uint32_t>(deep_users_.size());
  }
}

bool Dataflow::Looks(const Position& position, InstId user) const {
  switch (FlowOf(module_.inst(user).opcode)) {
    case OpFlow::kElement:
    case OpFlow::kCopy: return position.node == 0;
    case OpFlow::kTuple: return false;
    default: return module_.inst(user).opcode != Opcode::kDomain;
  }
}

bool Dataflow::Holds(InstId inst, FlowId id) const {
  // Values that loops nested in each other carry have many positions, wide tuples many values.
  const std::span<const Position> held = positions(id);
  const uint32_t begin = begins_[inst.index()], end = begins_[inst.index() + 1];
  if (end - begin < held.size()) {
    return std::find(at_.begin() + begin, at_.begin() + end, id.value) != at_.begin() + end;
  }
  return std::any_of(held.begin(), held.end(),
                     [&](const Position& each) { return each.inst == inst; });
}

void Dataflow::IndexWide() {
  for (size_t i = 0; i < module_.insts.size(); ++i) {
    const Inst& inst = module_.insts[i];
    if (inst.operand_count <= kWide) continue;
    std::vector<std::pair<InstId, uint32_t>>& index = wide_[static_cast<uint32_t>(i)];
    const std::span<const InstId> operands = module_.operands_of(inst);
    for (uint32_t k = 0; k < operands.size(); ++k) index.emplace_back(operands[k], k);
    std::sort(index.begin(), index.end());
  }
}

}  // namespace halo
