// Each value starts in a separate slot. Slots are merged into the larger one, or on a tie into the
// slot of the lowest value, because buffers are numbered by the slots that remain.
#include "halo/analysis/liveness/buffers.h"

#include <algorithm>
#include <numeric>

#include "halo/semantics/facts/parameters.h"

namespace halo {
namespace {

uint64_t PositionKey(int64_t parameter, uint32_t node) {
  return static_cast<uint64_t>(parameter) << 32 | node;
}

}  // namespace

Buffers::Buffers(const Dataflow& flow, const InPlacePairs& in_place,
                 std::span<const AliasEntry> aliases)
    : flow_(flow), module_(flow.module()), in_place_(in_place) {
  const Computation& entry = module_.comp(module_.entry);
  const std::vector<InstId> parameters = ParametersOf(module_, module_.entry);
  for (const AliasEntry& alias : aliases) {
    if (alias.number < 0 || static_cast<size_t>(alias.number) >= parameters.size()) continue;
    const InstId parameter = parameters[static_cast<size_t>(alias.number)];
    if (!parameter.valid() || !entry.root.valid()) continue;
    const auto from = flow.trees().NodeAt(module_.inst(parameter).shape, alias.input_index);
    const auto to = flow.trees().NodeAt(module_.inst(entry.root).shape, alias.output_index);
    if (!from || !to) continue;
    donor_.resize(flow.trees().count(module_.inst(entry.root).shape));
    donor_[*to] = {parameter, *from};
    donated_.insert(PositionKey(alias.number, *from));
  }

  slot_.resize(flow.size());
  std::iota(slot_.begin(), slot_.end(), 0);
  slot_size_.assign(flow.size(), 1);
  std::vector<FlowId> aliased;
  for (size_t i = 0; i < flow.size(); ++i) {
    const FlowId value(i);
    if (!flow.value(value).exists) continue;
    Alias(value, aliased);
    if (aliased.size() > 1) Merge(aliased);
  }
  Number();
}

bool Buffers::is_donated(int64_t parameter, uint32_t node) const {
  return donated_.contains(PositionKey(parameter, node));
}

void Buffers::Alias(FlowId value, std::vector<FlowId>& with) const {
  with.assign(1, value);
  const auto add = [&](FlowId other) {
    if (other.valid()) with.push_back(other);
  };
  const InstId entry_root = module_.comp(module_.entry).root;
  for (const Position& position : flow_.positions(value)) {
    if (position.inst == entry_root && position.node < donor_.size() &&
        donor_[position.node].inst.valid()) {
      add(flow_.at(donor_[position.node]));
    }
    const CompId comp = module_.inst(position.inst).parent;
    const bool is_root = flow_.is_root(position.inst);
    const bool is_own_parameter = position == flow_.value(value).defined &&
                                  module_.inst(position.inst).opcode == Opcode::kParameter;
    if (is_root || is_own_parameter) {
      for (const InstId caller : flow_.calls().callers(comp)) {
        const Inst& inst = module_.inst(caller);
        const Attr* body = module_.Find(inst, AttrKey::k_body);
        const bool returns =
            inst.opcode == Opcode::kConditional ||
            (inst.opcode == Opcode::kWhile && body != nullptr && CompId(body->value) == comp);
        const bool carries = inst.opcode == Opcode::kWhile && is_own_parameter;
        if (((is_root && returns) || carries) && position.node < flow_.trees().count(inst.shape)) {
          add(flow_.at(caller, position.node));
        }
      }
    }
    for (const InPlacePair& pair : in_place_.of(position.inst)) {
      if (pair.result_node != position.node) continue;
      const InstId operand = module_.operands_of(module_.inst(position.inst))[pair.operand];
      add(flow_.at(operand, pair.operand_node));
    }
  }
  flow_.ForEachUse(value, [&](InstId user, int64_t operand, uint32_t node) {
    const Inst& inst = module_.inst(user);
    if (inst.opcode == Opcode::kWhile && node < flow_.trees().count(inst.shape)) {
      add(flow_.at(user, node));
    }
    for (const InPlacePair& pair : in_place_.of(user)) {
      if (pair.operand == operand && pair.operand_node == node) {
        add(flow_.at(user, pair.result_node));
      }
    }
  });
  std::sort(with.begin(), with.end());
  with.erase(std::unique(with.begin(), with.end()), with.end());
}

uint32_t Buffers::Find(uint32_t slot) {
  while (slot_[slot] != slot) {
    slot_[slot] = slot_[slot_[slot]];
    slot = slot_[slot];
  }
  return slot;
}

void Buffers::Merge(const std::vector<FlowId>& aliased) {
  uint32_t into = Find(aliased[0].value);
  for (const FlowId value : aliased) {
    const uint32_t slot = Find(value.value);
    if (slot_size_[slot] > slot_size_[into]) into = slot;
  }
  for (const FlowId value : aliased) {
    const uint32_t slot = Find(value.value);
    if (slot == into) continue;
    slot_[slot] = into;
    slot_size_[into] += slot_size_[slot];
  }
}

void Buffers::Number() {
  of_.resize(flow_.size());
  std::vector<BufferId> by_slot(flow_.size());
  size_t count = 0;
  for (uint32_t i = 0; i < flow_.size(); ++i) {
    if (flow_.value(FlowId(i)).exists && Find(i) == i) by_slot[i] = BufferId(count++);
  }
  begins_.assign(count + 1, 0);
  for (uint32_t i = 0; i < flow_.size(); ++i) {
    if (!flow_.value(FlowId(i)).exists) continue;
    of_[i] = by_slot[Find(i)];
    ++begins_[of_[i].index() + 1];
  }
  for (size_t i = 0; i < count; ++i) begins_[i + 1] += begins_[i];
  values_.resize(begins_[count]);
  std::vector<size_t> next(begins_.begin(), begins_.end() - 1);
  for (uint32_t i = 0; i < flow_.size(); ++i) {
    if (flow_.value(FlowId(i)).exists) values_[next[of_[i].index()]++] = FlowId(i);
  }
  lives_out_.assign(count, false);
  const InstId root = module_.comp(module_.entry).root;
  if (!root.valid()) return;
  for (uint32_t node = 0; node < flow_.trees().count(module_.inst(root).shape); ++node) {
    const FlowId value = flow_.at(root, node);
    if (value.valid()) lives_out_[of_[value.index()].index()] = true;
  }
}

}  // namespace halo
