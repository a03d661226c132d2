// Sizes follow the backend's rules, positions the order of calls, sharing the opcode's rules.
#include "halo/memory/assign/module_problem.h"

#include <algorithm>
#include <deque>

#include "halo/analysis/sharing/elementwise_use.h"

namespace halo {

ModuleProblem::ModuleProblem(const Dataflow& flow, const InPlacePairs& in_place,
                             const Buffers& known_buffers, const LiveRanges& ranges,
                             const AssignOptions& options)
    : flow_(flow),
      module_(flow.module()),
      ranges_(ranges),
      options_(options),
      can_share_(flow, in_place, options.rules.sharing) {
  end = ranges.end();
  AddValues(known_buffers);
  MeasureBuffers();
  Resize();
}

std::vector<ModuleProblem::Kind> ModuleProblem::SortComputations() const {
  std::vector<Kind> kinds(module_.comps.size(), Kind::kUnreached);
  std::deque<std::pair<CompId, Kind>> work = {{module_.entry, Kind::kGlobal}};
  std::vector<CompId> called;
  while (!work.empty()) {
    const auto [comp, kind] = work.front();
    work.pop_front();
    if (kinds[comp.index()] != Kind::kUnreached) continue;
    kinds[comp.index()] = kind;
    const Computation& computation = module_.comp(comp);
    for (uint32_t i = 0; i < computation.count; ++i) {
      const Inst& inst = module_.insts[computation.first + i];
      CalledComputations(module_, inst, called);
      const Kind inherited = RunsItsComputations(inst.opcode) ? kind : Kind::kThreadLocal;
      for (const CompId callee : called) work.emplace_back(callee, inherited);
    }
  }
  return kinds;
}

std::vector<uint32_t> ModuleProblem::Positions(const std::vector<Kind>& kinds) const {
  // Callers before callees, each in post-order. The text lists computations in the order in which
  // their calls are encountered, which is the order needed here.
  std::vector<uint32_t> positions(module_.insts.size(), 0);
  std::vector<uint32_t> rank(module_.comps.size(), 0);
  const std::vector<CompId>& order = flow_.computations();
  for (size_t i = 0; i < order.size(); ++i) {
    rank[order[i].index()] = static_cast<uint32_t>(order.size() - i);
  }
  if (options_.rules.numbers_thread_locals_by_id) {
    const std::vector<CompId>& numbered = options_.numbered.empty() ? order : options_.numbered;
    for (size_t i = 0; i < numbered.size(); ++i) {
      const size_t comp = numbered[i].index();
      if (kinds[comp] == Kind::kThreadLocal) rank[comp] = static_cast<uint32_t>(i);
    }
  }
  std::vector<uint32_t> begins(order.size() + 2, 0);
  for (const InstId inst : flow_.post_order()) {
    ++begins[rank[module_.inst(inst).parent.index()] + 1];
  }
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  for (const InstId inst : flow_.post_order()) {
    positions[inst.index()] = begins[rank[module_.inst(inst).parent.index()]]++;
  }
  return positions;
}

void ModuleProblem::AddValues(const Buffers& known_buffers) {
  const std::vector<Kind> kinds = SortComputations();
  const std::vector<uint32_t> positions = Positions(kinds);
  values.resize(flow_.size());
  buffers.resize(known_buffers.size());
  lives_out.resize(known_buffers.size());
  for (size_t i = 0; i < known_buffers.size(); ++i) {
    lives_out[i] = known_buffers.lives_out(BufferId(i));
  }
  for (size_t i = 0; i < flow_.size(); ++i) {
    const FlowId id(i);
    if (!flow_.value(id).exists) continue;
    const Position defined = flow_.value(id).defined;
    const Inst& inst = module_.inst(defined.inst);
    const ShapeId shape = flow_.shape_of(id);
    ProblemValue& value = values[i];
    value.bytes = BufferBytes(module_, shape, options_.rules);
    const Layout* layout = module_.shapes.layout(shape);
    if (layout != nullptr) value.color = layout->memory_space;
    value.range = ranges_.of(id);
    value.position = positions[defined.inst.index()];
    value.is_constant = inst.opcode == Opcode::kConstant;
    value.is_tuple = module_.shapes.is_tuple(shape);
    value.is_thread_local = kinds[inst.parent.index()] == Kind::kThreadLocal;
    value.is_at_top = defined.node == 0;
    if (inst.opcode == Opcode::kParameter && inst.parent == module_.entry) {
      value.parameter = inst.extra;
      value.is_donated = known_buffers.is_donated(inst.extra, defined.node);
    }
    value.stays_inside = options_.rules.gathers_stay_inside && TouchesGather(id);
    // Values inside a fusion need no memory of the program.
    const std::span<const InstId> callers = flow_.calls().callers(inst.parent);
    const bool is_fused = !callers.empty() && module_.inst(callers[0]).opcode == Opcode::kFusion;
    if (kinds[inst.parent.index()] == Kind::kUnreached || is_fused) continue;
    value.buffer = known_buffers.of(id);
    buffers[value.buffer.index()].push_back(id);
  }
}

bool ModuleProblem::IsGather(InstId id) const {
  const Inst& inst = module_.inst(id);
  switch (inst.opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllGatherDone: return true;
    case Opcode::kFusion: break;
    default: return false;
  }
  // TPU splits an all-gather into two fusions, each calling one of these on the collective.
  const CompId comp = FusedComputation(module_, inst);
  if (!comp.valid() || !module_.comp(comp).root.valid()) return false;
  const Inst& root = module_.inst(module_.comp(comp).root);
  const std::string_view target = module_.TextOr(root.attrs, AttrKey::k_custom_call_target);
  return target == "AsyncCollectiveStart" || target == "AsyncCollectiveDone";
}

bool ModuleProblem::TouchesGather(FlowId id) const {
  const std::span<const Position> positions = flow_.positions(id);
  if (std::any_of(positions.begin(), positions.end(),
                  [&](const Position& position) { return IsGather(position.inst); })) {
    return true;
  }
  bool touches = false;
  flow_.ForEachUse(id, [&](InstId user, int64_t, uint32_t) { touches |= IsGather(user); });
  return touches;
}

void ModuleProblem::Resize() {
  for (const ResizedValue& given : options_.resized) {
    const FlowId at = flow_.at(given.inst, given.node);
    if (!at.valid() || !value(at).buffer.valid()) continue;
    const BufferId buffer = value(at).buffer;
    for (const FlowId id : buffers[buffer.index()]) {
      values[id.index()].bytes = std::min(values[id.index()].bytes, given.bytes);
    }
    sizes[buffer.index()] = std::min(sizes[buffer.index()], given.bytes);
  }
}

void ModuleProblem::OperandsOf(FlowId id, std::vector<FlowId>& out) const {
  out.clear();
  for (const InstId operand : module_.operands_of(module_.inst(flow_.value(id).defined.inst))) {
    out.push_back(operand.valid() ? flow_.at(operand) : FlowId());
  }
}

bool ModuleProblem::MayShareAllocation(FlowId user, FlowId operand) const {
  const Position result = flow_.value(user).defined;
  if (module_.inst(result.inst).opcode == Opcode::kCopy) return false;
  const auto shares = [&](Position position) {
    return flow_.is_operand(result.inst, position.inst) && can_share_(position, result);
  };
  if (!ReadsInPlace(result, operand)) return false;
  if (!options_.rules.shares_through_any_position) return shares(ranges_.last_position(operand));
  const std::span<const Position> positions = flow_.positions(operand);
  return std::any_of(positions.begin(), positions.end(), shares);
}

// An operand and a bitcast of it are one value: overwriting it through one position destroys it for
// the other.
bool ModuleProblem::ReadsInPlace(Position result, FlowId operand) const {
  if (!options_.protects_every_read) return true;
  const std::span<const Position> positions = flow_.positions(operand);
  return std::none_of(positions.begin(), positions.end(), [&](const Position& position) {
    return flow_.is_operand(result.inst, position.inst) && !can_share_(position, result);
  });
}

bool ModuleProblem::MayReplace(FlowId user, FlowId operand) const {
  const Position result = flow_.value(user).defined;
  const Position from = flow_.value(operand).defined;
  return module_.inst(result.inst).opcode != Opcode::kCopy &&
         flow_.is_operand(result.inst, from.inst) && can_share_(from, result) &&
         ReadsInPlace(result, operand);
}

bool ModuleProblem::NeverReplaces(FlowId user) const {
  const InstId inst = flow_.value(user).defined.inst;
  return module_.inst(inst).opcode == Opcode::kCopy || can_share_.Never(inst);
}

void ModuleProblem::CopiedBy(FlowId value, std::vector<FlowId>& out) const {
  out.clear();
  const Inst& copy = module_.inst(flow_.value(value).defined.inst);
  if (copy.opcode != Opcode::kCopy) return;
  for (const InstId operand : module_.operands_of(copy)) {
    const uint32_t nodes = flow_.trees().count(module_.inst(operand).shape);
    for (uint32_t node = 0; node < nodes; ++node) {
      const FlowId copied = flow_.at(operand, node);
      if (copied.valid()) out.push_back(copied);
    }
  }
}

}  // namespace halo
