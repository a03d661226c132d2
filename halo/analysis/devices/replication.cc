// Every value starts as the same on all devices. Whatever can tell devices apart refines that,
// until nothing changes. A value carries one partition of the devices for each of its arrays.
#include "halo/analysis/devices/replication.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>

#include "halo/ir/op_properties.h"
#include "halo/semantics/devices/manual_borders.h"
#include "halo/semantics/devices/tiling.h"
#include "halo/semantics/facts/execution_order.h"
#include "halo/semantics/facts/parameters.h"

namespace halo {
namespace {

using Leaves = std::vector<uint32_t>;  // partitions, by array leaf
constexpr uint32_t kSame = 0;          // the partition with all devices in one class

size_t CountLeaves(const Module& module, ShapeId shape) {
  size_t count = 0;
  std::vector<ShapeId> open = {shape};
  while (!open.empty()) {
    const ShapeId at = open.back();
    open.pop_back();
    if (module.shapes.is_array(at)) ++count;
    if (!module.shapes.is_tuple(at)) continue;
    const auto elements = module.shapes.elements(at);
    open.insert(open.end(), elements.begin(), elements.end());
  }
  return count;
}

// Numbered partitions, and the ways to refine them.
class Partitions {
 public:
  explicit Partitions(int64_t devices)
      : devices_(static_cast<size_t>(devices)), none_(devices_, 0) {
    for (uint32_t d = 0; d < devices_; ++d) each_.push_back(d);
    Number(none_);
  }

  uint32_t Number(const DeviceClasses& classes) {
    const auto [at, added] = numbers_.try_emplace(classes, static_cast<uint32_t>(all_.size()));
    if (added) all_.push_back(classes);
    return at->second;
  }
  uint32_t EachAlone() { return Number(each_); }
  // Devices stay in one class only if both partitions keep them together.
  uint32_t Refine(uint32_t a, uint32_t b) {
    if (a == b || b == kSame) return a;
    if (a == kSame) return b;
    const auto [at, added] = refined_.try_emplace(std::minmax(a, b), kSame);
    if (!added) return at->second;
    std::vector<std::pair<uint32_t, uint32_t>> keys;
    for (size_t d = 0; d < devices_; ++d) keys.emplace_back(all_[a][d], all_[b][d]);
    const uint32_t number = Number(ClassesByKey<std::pair<uint32_t, uint32_t>>(keys));
    refined_[std::minmax(a, b)] = number;
    return number;
  }
  [[nodiscard]] const DeviceClasses& operator[](uint32_t number) const { return all_[number]; }
  std::vector<DeviceClasses> Take() { return std::move(all_); }

 private:
  size_t devices_;
  DeviceClasses none_, each_;
  std::vector<DeviceClasses> all_;
  std::map<DeviceClasses, uint32_t> numbers_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> refined_;
};

}  // namespace

class ReplicationSolver {
 public:
  ReplicationSolver(const Module& module, const DeviceGrid& grid)
      : module_(module),
        grid_(grid),
        parts_(grid.count()),
        leaves_(module.insts.size()),
        comps_(module.comps.size()) {}

  Result<Replication> Solve(const std::vector<std::vector<DeviceClasses>>& parameters);

 private:
  // What all calls of a computation have in common.
  struct Facts {
    std::vector<Leaves> arguments;
    Leaves result;
    uint32_t control = kSame;  // which devices run it together
    bool is_called = false;
    bool is_waiting = false;  // in the queue
    std::vector<CompId> callers;
    std::vector<InstId> order;  // operands first
  };

  void Enqueue(CompId comp) {
    Facts& facts = comps_[comp.index()];
    if (std::exchange(facts.is_waiting, true)) return;
    queue_.push_back(comp);
  }
  void RefineInto(Leaves& into, const Leaves& from, bool& changed);
  // Records how a computation is called; returns its result as far as it is known.
  Leaves Call(CompId caller, CompId comp, const std::vector<Leaves>& arguments, uint32_t control);
  void Visit(CompId comp);
  [[nodiscard]] Leaves Of(CompId comp, const Inst& inst, InstId id);
  [[nodiscard]] Leaves Loop(CompId comp, const Inst& inst);
  [[nodiscard]] Leaves Branches(CompId comp, const Inst& inst);
  [[nodiscard]] std::optional<Leaves> Collective(const Inst& inst, InstId id);
  [[nodiscard]] uint32_t Rendezvous(InstId id, uint32_t operand, bool by_position);
  [[nodiscard]] const std::vector<std::vector<int64_t>>& GroupsAt(InstId id);
  [[nodiscard]] Leaves Permute(const Inst& inst, InstId id);
  [[nodiscard]] uint32_t Permuted(const Inst& inst, InstId id, uint32_t operand);
  [[nodiscard]] Leaves EnterRegion(const Inst& inst);
  [[nodiscard]] Leaves Started(const Inst& inst, Leaves result);
  [[nodiscard]] Leaves Done(const Inst& inst);
  [[nodiscard]] Leaves OperandLeaves(const Inst& inst) const;
  [[nodiscard]] uint32_t All(const Leaves& leaves, uint32_t with = kSame);
  [[nodiscard]] size_t Count(ShapeId shape) const { return CountLeaves(module_, shape); }

  const Module& module_;
  const DeviceGrid& grid_;
  Partitions parts_;
  std::vector<Leaves> leaves_;  // by instruction
  std::vector<Facts> comps_;
  std::deque<CompId> queue_;
  InstId grouped_;                            // the op whose groups are in groups_
  std::vector<std::vector<int64_t>> groups_;  // devices
  std::optional<Diagnostic> failed_;
};

void ReplicationSolver::RefineInto(Leaves& into, const Leaves& from, bool& changed) {
  if (into.size() < from.size()) into.resize(from.size(), kSame);
  for (size_t i = 0; i < from.size(); ++i) {
    const uint32_t refined = parts_.Refine(into[i], from[i]);
    changed |= refined != into[i];
    into[i] = refined;
  }
}

uint32_t ReplicationSolver::All(const Leaves& leaves, uint32_t with) {
  for (const uint32_t each : leaves) with = parts_.Refine(with, each);
  return with;
}

Leaves ReplicationSolver::OperandLeaves(const Inst& inst) const {
  Leaves all;
  for (const InstId operand : module_.operands_of(inst)) {
    const Leaves& each = leaves_[operand.index()];
    all.insert(all.end(), each.begin(), each.end());
  }
  return all;
}

Leaves ReplicationSolver::Call(CompId caller, CompId comp, const std::vector<Leaves>& arguments,
                               uint32_t control) {
  if (!comp.valid() || !module_.comp(comp).defined) return {};
  Facts& facts = comps_[comp.index()];
  bool changed = !facts.is_called;
  facts.is_called = true;
  if (std::ranges::find(facts.callers, caller) == facts.callers.end()) {
    facts.callers.push_back(caller);
  }
  if (facts.arguments.size() < arguments.size()) facts.arguments.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    RefineInto(facts.arguments[i], arguments[i], changed);
  }
  const uint32_t refined = parts_.Refine(facts.control, control);
  changed |= refined != facts.control;
  facts.control = refined;
  if (changed) Enqueue(comp);
  return facts.result;
}

Leaves ReplicationSolver::Loop(CompId comp, const Inst& inst) {
  const Attr* condition = module_.Find(inst, AttrKey::k_condition);
  const Attr* body = module_.Find(inst, AttrKey::k_body);
  if (condition == nullptr || body == nullptr) return {};
  Leaves state = leaves_[module_.operands_of(inst)[0].index()];
  bool ignored = false;
  // The body's result is its next input.
  RefineInto(state, comps_[CompId(body->value).index()].result, ignored);
  // Devices that leave a loop at different times no longer run it together.
  const uint32_t together =
      All(comps_[CompId(condition->value).index()].result, comps_[comp.index()].control);
  Call(comp, CompId(condition->value), {state}, together);
  Call(comp, CompId(body->value), {state}, together);
  for (uint32_t& leaf : state) leaf = parts_.Refine(leaf, together);
  return state;
}

Leaves ReplicationSolver::Branches(CompId comp, const Inst& inst) {
  std::vector<CompId> branches;
  module_.CalledBy(inst, branches);
  const std::span<const InstId> operands = module_.operands_of(inst);
  const uint32_t together = All(leaves_[operands[0].index()], comps_[comp.index()].control);
  Leaves result(Count(inst.shape), together);
  bool ignored = false;
  for (size_t i = 0; i < branches.size() && i + 1 < operands.size(); ++i) {
    RefineInto(result, Call(comp, branches[i], {leaves_[operands[i + 1].index()]}, together),
               ignored);
  }
  return result;
}

// The result depends on what the members of the group contribute, in order, and with `by_position`
// also on the member's position in the group. Members of another group get the same result if their
// group contributes the same.
uint32_t ReplicationSolver::Rendezvous(InstId id, uint32_t operand, bool by_position) {
  const DeviceClasses& brought = parts_[operand];
  std::map<std::vector<uint32_t>, uint32_t> contributions;
  std::vector<std::pair<uint32_t, uint32_t>> keys(brought.size());
  for (const std::vector<int64_t>& group : GroupsAt(id)) {
    std::vector<uint32_t> all;
    for (const int64_t device : group) all.push_back(brought[static_cast<size_t>(device)]);
    const auto number = static_cast<uint32_t>(contributions.size());
    const uint32_t known = contributions.try_emplace(std::move(all), number).first->second;
    for (uint32_t i = 0; i < group.size(); ++i) {
      keys[static_cast<size_t>(group[i])] = {known, by_position ? i : 0};
    }
  }
  return parts_.Number(ClassesByKey<std::pair<uint32_t, uint32_t>>(keys));
}

// Keeps the groups of one op only, which are needed for each of its arrays.
const std::vector<std::vector<int64_t>>& ReplicationSolver::GroupsAt(InstId id) {
  if (std::exchange(grouped_, id) == id) return groups_;
  Result<std::vector<std::vector<int64_t>>> groups = GroupsOf(module_, id, grid_);
  groups_.clear();
  if (groups.ok()) {
    groups_ = *std::move(groups);
  } else {
    failed_ = groups.error();
  }
  return groups_;
}

uint32_t ReplicationSolver::Permuted(const Inst& inst, InstId id, uint32_t operand) {
  // Groups are along the dimension of the grid that the op moves along.
  const bool by_partition = module_.IntOr(inst.attrs, AttrKey::k_channel_id, 0) > 0;
  const auto position = [&](int64_t device) {
    return by_partition ? device % grid_.partitions : device / grid_.partitions;
  };
  const std::span<const int64_t> pairs = module_.IntsOf(inst.attrs, AttrKey::k_source_target_pairs);
  const DeviceClasses& brought = parts_[operand];
  std::vector<uint32_t> keys(brought.size(), UINT32_MAX);
  for (const std::vector<int64_t>& group : GroupsAt(id)) {
    std::unordered_map<int64_t, int64_t> device_at;
    for (const int64_t device : group) device_at.try_emplace(position(device), device);
    for (size_t at = 1; at + 2 < pairs.size() && pairs[at] == 2; at += 3) {
      const auto from = device_at.find(pairs[at + 1]);
      const auto to = device_at.find(pairs[at + 2]);
      if (from == device_at.end() || to == device_at.end()) continue;
      keys[static_cast<size_t>(to->second)] = brought[static_cast<size_t>(from->second)];
    }
  }
  return parts_.Number(ClassesByKey<uint32_t>(keys));
}

// The in-place form also depends on the target's own buffer and positions.
Leaves ReplicationSolver::Permute(const Inst& inst, InstId id) {
  Leaves operands = OperandLeaves(inst);
  if (module_.operands_of(inst).size() == 1) {
    for (uint32_t& each : operands) each = Permuted(inst, id, each);
    return operands;
  }
  const uint32_t all = All(operands);
  return Leaves(Count(inst.shape), parts_.Refine(all, Permuted(inst, id, all)));
}

// The arrays that a collective returns, in the order of its operands; nullopt for other
// instructions.
std::optional<Leaves> ReplicationSolver::Collective(const Inst& inst, InstId id) {
  const Opcode opcode = (inst.flags & kInstSugar) != 0 ? inst.wrapped : inst.opcode;
  const bool leaves_region = LeavesManualRegion(module_, inst);
  if (!IsCollectiveOp(opcode) && !leaves_region) return std::nullopt;
  Leaves operands = OperandLeaves(inst);
  switch (leaves_region ? CollectiveFamily::kAllGather : PropertiesOf(opcode).group) {
    case CollectiveFamily::kAllReduce:
    case CollectiveFamily::kAllGather:
    case CollectiveFamily::kBroadcast:
      for (uint32_t& each : operands) each = Rendezvous(id, each, false);
      return operands;
    case CollectiveFamily::kReduceScatter:
      for (uint32_t& each : operands) each = Rendezvous(id, each, true);
      return operands;
    case CollectiveFamily::kPermute: return Permute(inst, id);
    default: return Leaves(Count(inst.shape), Rendezvous(id, All(operands), true));
  }
}

Leaves ReplicationSolver::EnterRegion(const Inst& inst) {
  Leaves result = OperandLeaves(inst);
  const std::span<const InstId> operands = module_.operands_of(inst);
  for (size_t i = 0; i < result.size(); ++i) {
    const std::optional<Sharding> sharding = RegionSharding(module_, inst, i);
    const ShapeId shape = module_.inst(operands[std::min(i, operands.size() - 1)]).shape;
    const std::optional<Tiling> tiling =
        sharding && module_.shapes.is_array(shape)
            ? TilingOf(*sharding, module_.shapes.dims(shape), grid_.partitions)
            : std::nullopt;
    if (!tiling) {
      result[i] = parts_.EachAlone();
      continue;
    }
    std::vector<Dims> corners;
    for (int64_t d = 0; d < grid_.count(); ++d) {
      corners.push_back(tiling->corners[static_cast<size_t>(d % grid_.partitions)]);
    }
    result[i] = parts_.Refine(result[i], parts_.Number(ClassesByKey<Dims>(corners)));
  }
  return result;
}

// (operands, results, contexts...) where the start has that form.
Leaves ReplicationSolver::Started(const Inst& inst, Leaves result) {
  const size_t declared = Count(inst.shape);
  if (result.size() >= declared) return result;
  Leaves all = OperandLeaves(inst);
  all.insert(all.end(), result.begin(), result.end());
  all.resize(declared, all.empty() ? kSame : All(all));
  return all;
}

Leaves ReplicationSolver::Done(const Inst& inst) {
  const InstId start = module_.operands_of(inst)[0];
  const Leaves& given = leaves_[start.index()];
  const size_t declared = Count(inst.shape);
  if (given.size() == declared) return given;
  const ShapeId shape = module_.inst(start).shape;
  if (module_.shapes.is_tuple(shape) && module_.shapes.elements(shape).size() > 1) {
    const size_t skipped = Count(module_.shapes.elements(shape)[0]);
    if (Count(module_.shapes.elements(shape)[1]) == declared &&
        skipped + declared <= given.size()) {
      const auto begin = given.begin() + static_cast<ptrdiff_t>(skipped);
      return Leaves(begin, begin + static_cast<ptrdiff_t>(declared));
    }
  }
  return Leaves(declared, All(given));
}

Leaves ReplicationSolver::Of(CompId comp, const Inst& inst, InstId id) {
  const Facts& facts = comps_[comp.index()];
  const std::span<const InstId> operands = module_.operands_of(inst);
  if (std::optional<Leaves> met = Collective(inst, id)) return Started(inst, *std::move(met));
  std::vector<CompId> called;
  if (HasFlag(inst.opcode, kDiffersByDevice)) {
    return Leaves(Count(inst.shape), parts_.EachAlone());
  }
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kParameter:
      return inst.extra < facts.arguments.size() ? facts.arguments[inst.extra] : Leaves();
    case OpFlow::kTuple:
    case OpFlow::kForwards:
    case OpFlow::kAsyncUpdate: return OperandLeaves(inst);
    case OpFlow::kElement: {
      const auto elements = module_.shapes.elements(module_.inst(operands[0]).shape);
      const auto index = static_cast<size_t>(module_.IntOr(inst.attrs, AttrKey::k_index, 0));
      size_t begin = 0;
      for (size_t i = 0; i < index && i < elements.size(); ++i) begin += Count(elements[i]);
      const Leaves& given = leaves_[operands[0].index()];
      const size_t count = Count(inst.shape);
      if (begin + count > given.size()) return Leaves(count, All(given));
      const auto at = given.begin() + static_cast<ptrdiff_t>(begin);
      return Leaves(at, at + static_cast<ptrdiff_t>(count));
    }
    case OpFlow::kAsyncDone:
    case OpFlow::kReduceDone:
    case OpFlow::kStartedResult: return Done(inst);
    case OpFlow::kWhile: return Loop(comp, inst);
    case OpFlow::kConditional: return Branches(comp, inst);
    case OpFlow::kCall:
    case OpFlow::kFusion:
    case OpFlow::kAsyncStart: {
      module_.CalledBy(inst, called);
      if (called.size() != 1) break;
      std::vector<Leaves> arguments;
      for (const InstId operand : operands) arguments.push_back(leaves_[operand.index()]);
      Leaves result = Call(comp, called[0], arguments, facts.control);
      return inst.opcode == Opcode::kAsyncStart ? Started(inst, std::move(result)) : result;
    }
    case OpFlow::kDeviceId: {
      std::vector<int64_t> keys;
      for (int64_t d = 0; d < grid_.count(); ++d) {
        keys.push_back(inst.opcode == Opcode::kReplicaId ? d / grid_.partitions
                                                         : d % grid_.partitions);
      }
      return {parts_.Refine(facts.control, parts_.Number(ClassesByKey<int64_t>(keys)))};
    }
    default:
      if (EntersManualRegion(module_, inst)) return EnterRegion(inst);
      break;
  }
  return Leaves(Count(inst.shape), All(OperandLeaves(inst), facts.control));
}

void ReplicationSolver::Visit(CompId comp) {
  Facts& facts = comps_[comp.index()];
  facts.is_waiting = false;
  const Computation& computation = module_.comp(comp);
  if (facts.order.empty()) {
    for (const ExecutionOrder::Entry& entry : OrderForExecution(module_, comp).order) {
      facts.order.push_back(entry.inst);
    }
  }
  for (const InstId id : facts.order) {
    Leaves found = Of(comp, module_.inst(id), id);
    // Devices that run it together count its executions alike; others cannot be compared.
    for (uint32_t& leaf : found) leaf = parts_.Refine(leaf, facts.control);
    found.resize(Count(module_.inst(id).shape), facts.control);
    leaves_[id.index()] = std::move(found);
  }
  if (!computation.root.valid()) return;
  bool changed = false;
  RefineInto(facts.result, leaves_[computation.root.index()], changed);
  if (!changed) return;
  for (const CompId caller : facts.callers) Enqueue(caller);
}

Result<Replication> ReplicationSolver::Solve(
    const std::vector<std::vector<DeviceClasses>>& parameters) {
  if (!module_.entry.valid() || !module_.comp(module_.entry).defined) return Replication();
  const std::vector<InstId> inputs = ParametersOf(module_, module_.entry);
  std::vector<Leaves> arguments(inputs.size());
  for (size_t number = 0; number < inputs.size(); ++number) {
    if (!inputs[number].valid()) continue;
    Leaves& leaves = arguments[number];
    leaves.assign(Count(module_.inst(inputs[number]).shape), parts_.EachAlone());
    if (number >= parameters.size()) continue;
    const std::vector<DeviceClasses>& given = parameters[number];
    for (size_t leaf = 0; leaf < leaves.size() && leaf < given.size(); ++leaf) {
      if (static_cast<int64_t>(given[leaf].size()) == grid_.count()) {
        leaves[leaf] = parts_.Number(given[leaf]);
      }
    }
  }
  Call(module_.entry, module_.entry, arguments, kSame);
  while (!queue_.empty() && !failed_) {
    const CompId comp = queue_.front();
    queue_.pop_front();
    Visit(comp);
  }
  if (failed_) return *failed_;
  Replication out;
  out.leaves_ = std::move(leaves_);
  for (size_t i = 0; i < out.leaves_.size(); ++i) {
    const CompId parent = module_.insts[i].parent;
    if (!parent.valid() || !comps_[parent.index()].is_called) out.leaves_[i].clear();
  }
  out.classes_ = parts_.Take();
  return out;
}

Result<Replication> Replication::Analyze(
    const Module& module, const DeviceGrid& grid,
    const std::vector<std::vector<DeviceClasses>>& parameters) {
  return ReplicationSolver(module, grid).Solve(parameters);
}

std::span<const uint32_t> Replication::ClassesOf(InstId inst, size_t leaf) const {
  if (inst.index() >= leaves_.size() || leaf >= leaves_[inst.index()].size()) return {};
  return classes_[leaves_[inst.index()][leaf]];
}

int64_t Replication::CountTied() const {
  std::vector<bool> is_tied;
  for (const DeviceClasses& classes : classes_) {
    bool any = false;
    for (uint32_t d = 0; d < classes.size(); ++d) any = any || classes[d] != d;
    is_tied.push_back(any);
  }
  return std::ranges::count_if(leaves_, [&](const std::vector<uint32_t>& leaves) {
    return std::ranges::any_of(leaves, [&](uint32_t each) { return is_tied[each]; });
  });
}

}  // namespace halo
