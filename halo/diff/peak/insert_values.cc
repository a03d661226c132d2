// Where an inserted value is computed follows from the order of the second program: before the
// first instruction of the first program whose counterpart runs later.
#include "halo/diff/peak/insert_values.h"

#include <algorithm>

#include "halo/analysis/graph/call_graph.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr uint32_t kMostLooked = 2000;  // instructions after a new one

}  // namespace

ValueInserter::ValueInserter(const MatchedPrograms& programs, StoredValues& before,
                             StoredValues& after)
    : programs_(programs),
      a_(programs.a),
      b_(programs.b),
      before_(before),
      after_(after),
      users_(programs.a) {
  key_of_.assign(a_.insts.size(), kNoKey);
  const CallGraph calls(a_);
  for (uint32_t i = 0; i < a_.insts.size(); ++i) {
    // Inside kernels nothing is stored.
    const CompId comp = a_.insts[i].parent;
    if (calls.context(comp) != CallGraph::Context::kControlFlow) continue;
    const StoredKey key = before.KeyOf(before.resolver().Resolve(InstId(i), 0));
    if (!StoredValues::is_value(key) || PassesOn(a_.insts[i])) continue;
    key_of_[i] = key;
    insts_of_[key].push_back(InstId(i));
  }
}

bool ValueInserter::PassesOn(const Inst& inst) {
  const OpFlow flow = FlowOf(inst.opcode);
  return flow == OpFlow::kBitcast || flow == OpFlow::kTuple || flow == OpFlow::kElement ||
         flow == OpFlow::kForwards;
}

// The first instruction of `comp` after `low` whose counterpart runs after `inst_b`; `high` if
// there is none before it.
InstId ValueInserter::PositionOf(InstId inst_b, CompId comp, InstId low, InstId high) {
  const Computation& comp_b = b_.comp(b_.inst(inst_b).parent);
  const uint32_t end = std::min(comp_b.first + comp_b.count, inst_b.value + kMostLooked);
  for (uint32_t i = inst_b.value + 1; i < end; ++i) {
    if (PassesOn(b_.insts[i])) continue;
    const StoredKey key = after_.KeyOf(after_.resolver().Resolve(InstId(i), 0));
    const auto found = insts_of_.find(key);
    if (!StoredValues::is_value(key) || found == insts_of_.end()) continue;
    for (const InstId id : found->second) {
      if (a_.inst(id).parent == comp && id > low && id <= high &&
          a_.inst(id).opcode != Opcode::kParameter && a_.inst(id).opcode != Opcode::kConstant) {
        return id;
      }
    }
  }
  return high;
}

// What reads an instruction of the second program, also through bitcasts and the like.
ValueInserter::Readers ValueInserter::ReadersOf(InstId inst_b) {
  Readers readers;
  std::vector<bool> passes(b_.insts.size(), false);
  passes[inst_b.index()] = true;
  const Computation& comp = b_.comp(b_.inst(inst_b).parent);
  for (uint32_t i = inst_b.value + 1; i < comp.first + comp.count; ++i) {
    const auto operands = b_.operands_of(b_.insts[i]);
    const bool reads = std::any_of(operands.begin(), operands.end(), [&](InstId operand) {
      return operand.valid() && passes[operand.index()];
    });
    if (!reads) continue;
    if (PassesOn(b_.insts[i])) {
      passes[i] = true;
    } else {
      if (!readers.first.valid()) readers.first = InstId(i);
      readers.keys.insert(after_.KeyOf(after_.resolver().Resolve(InstId(i), 0)));
    }
  }
  return readers;
}

std::optional<Insertion> ValueInserter::StoredFrom(ValueId value_b) {
  const InstId inst_b = after_.bound().value(value_b).inst;
  if (!inst_b.valid()) return std::nullopt;
  const Readers readers = ReadersOf(inst_b);
  std::optional<Insertion> made = StoredFrom(value_b, readers, false);
  return made ? made : StoredFrom(value_b, readers, true);
}

bool ValueInserter::IsLiveAfter(InstId operand, InstId inst_b) {
  if (!operand.valid() || !inst_b.valid()) return false;
  const StoredKey key = before_.KeyOf(before_.resolver().Resolve(operand, 0));
  const int64_t time = after_.bound().time(inst_b);
  const auto values = after_.with(key);
  return std::any_of(values.begin(), values.end(), [&](ValueId id) {
    const LiveRange live = after_.bound().assignment().value(id).live;
    return live.known() && live.start <= time && time <= live.end;
  });
}

std::optional<Insertion> ValueInserter::StoredFrom(ValueId value_b, const Readers& readers,
                                                   bool all) {
  const StoredKey key = after_.key(value_b);
  const auto number = static_cast<uint32_t>(key >> 24);
  const InstId inst_b = after_.bound().value(value_b).inst;
  if (number >= programs_.classes_a.size() || !inst_b.valid()) return std::nullopt;
  Insertion made;
  InstId low;
  CompId comp;
  std::set<InstId> kernels;
  for (const uint32_t member : programs_.classes_a.members(number)) {
    const ValueNode& node = programs_.graph_a.nodes[member];
    if (node.kernel == node.inst || kernels.contains(node.kernel)) continue;
    const Inst& kernel = a_.inst(node.kernel);
    if (!all && !readers.keys.contains(key_of_[node.kernel.index()])) continue;
    if (comp.valid() && kernel.parent != comp) continue;
    comp = kernel.parent;
    std::vector<uint32_t> within = Slots(node.inst);
    std::vector<uint32_t> only;
    if (a_.comp(a_.inst(node.inst).parent).root != node.inst) {
      only = OnlyInside(node.inst, within);
      std::erase_if(only, [&](uint32_t slot) {
        return slot < kernel.operand_count &&
               IsLiveAfter(a_.operands_of(kernel)[slot], readers.first);
      });
    }
    if (!made.shape.valid()) {
      made.shape = a_.inst(node.inst).shape;
      made.opcode = PropertiesOf(a_.inst(node.inst).opcode).category == OpCategory::kElementwise
                        ? a_.inst(node.inst).opcode
                        : Opcode::kCustomCall;
      for (const uint32_t slot : within) {
        if (slot >= kernel.operand_count) return std::nullopt;
        const InstId operand = a_.operands_of(kernel)[slot];
        made.operands.push_back(operand);
        if (!low.valid() || operand > low) low = operand;
      }
    }
    kernels.insert(node.kernel);
    made.uses.push_back({node.kernel, std::move(only)});
  }
  if (made.uses.empty() || !a_.shapes.is_array(made.shape)) return std::nullopt;
  const InstId high = *kernels.begin();
  if (!low.valid()) low = InstId(a_.comp(comp).first);
  made.before = PositionOf(inst_b, comp, low, high);
  return made;
}

// The parameters of a fused computation that an instruction of it is computed from.
std::vector<uint32_t> ValueInserter::Slots(InstId inst) const {
  std::set<uint32_t> slots;
  std::set<InstId> seen = {inst};
  std::vector<InstId> open = {inst};
  while (!open.empty()) {
    const Inst& at = a_.inst(open.back());
    open.pop_back();
    if (FlowOf(at.opcode) == OpFlow::kParameter) slots.insert(at.extra);
    for (const InstId operand : a_.operands_of(at)) {
      if (operand.valid() && seen.insert(operand).second) open.push_back(operand);
    }
  }
  return {slots.begin(), slots.end()};
}

// Of these parameters, those that nothing else of the computation reads.
std::vector<uint32_t> ValueInserter::OnlyInside(InstId inst,
                                                const std::vector<uint32_t>& slots) const {
  const CompId comp = a_.inst(inst).parent;
  const InstId root = a_.comp(comp).root;
  std::set<InstId> seen = {root, inst};
  std::vector<InstId> open = {root};
  std::set<uint32_t> outside;
  while (!open.empty()) {
    const Inst& at = a_.inst(open.back());
    open.pop_back();
    if (FlowOf(at.opcode) == OpFlow::kParameter) outside.insert(at.extra);
    for (const InstId operand : a_.operands_of(at)) {
      if (operand.valid() && seen.insert(operand).second) open.push_back(operand);
    }
  }
  std::vector<uint32_t> only;
  for (const uint32_t slot : slots) {
    if (!outside.contains(slot)) only.push_back(slot);
  }
  return only;
}

std::optional<Insertion> ValueInserter::CopyOf(ValueId value_b) {
  const StoredKey key = after_.key(value_b);
  const InstId inst_b = after_.bound().value(value_b).inst;
  const auto found = insts_of_.find(key);
  if (!inst_b.valid() || found == insts_of_.end()) return std::nullopt;
  const InstId source = found->second.front();
  const Inst& record = a_.inst(source);
  if (!a_.shapes.is_array(record.shape)) return std::nullopt;
  std::span<const InstId> users = users_.of(source);
  if (users.empty()) return std::nullopt;
  Insertion made;
  made.opcode = Opcode::kCopy;
  made.shape = record.shape;
  made.operands = {source};
  const InstId last(a_.comp(record.parent).first + a_.comp(record.parent).count - 1);
  made.before = PositionOf(inst_b, record.parent, source, last);
  // Those whose counterparts read the copy, or else all from there on.
  const Readers readers = ReadersOf(inst_b);
  for (const bool by_counterpart : {true, false}) {
    for (const InstId user : users) {
      if (user < made.before || a_.inst(user).parent != record.parent) continue;
      if (by_counterpart && !readers.keys.contains(key_of_[user.index()])) continue;
      InsertedUse use{user, {}};
      const auto operands = a_.operands_of(a_.inst(user));
      for (uint32_t k = 0; k < operands.size(); ++k) {
        if (operands[k] == source) use.slots.push_back(k);
      }
      if (!use.slots.empty()) made.uses.push_back(std::move(use));
    }
    if (!made.uses.empty()) return made;
  }
  return std::nullopt;
}

}  // namespace halo
