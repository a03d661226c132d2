// Insertions are made from the end, so that the positions before them stay valid.
#include "halo/diff/peak/edit_program.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "halo/ir/reorder.h"

namespace halo {
namespace {

template <class Renamed>
void FollowInsts(AssignOptions& assign, const Renamed& renamed) {
  for (ResizedValue& each : assign.resized) each.inst = renamed(each.inst);
  for (PresetColor& preset : assign.presets) {
    for (PresetValue& each : preset.values) each.inst = renamed(each.inst);
  }
}

void SetOperands(Module& module, InstId inst, const std::vector<InstId>& operands) {
  Inst& record = module.insts[inst.index()];
  record.operands_begin = static_cast<uint32_t>(module.operands.size());
  record.operand_count = static_cast<uint32_t>(operands.size());
  for (const InstId each : operands) module.operands.push_back(each);
}

}  // namespace

void InsertAll(std::vector<Insertion> insertions, EditedProgram& program) {
  Module& module = program.module;
  std::sort(insertions.begin(), insertions.end(),
            [](const Insertion& x, const Insertion& y) { return y.before < x.before; });
  std::vector<uint32_t> done;  // positions, falling
  const auto now = [&](InstId id) {
    const auto shift = std::count_if(done.begin(), done.end(),
                                     [&](uint32_t position) { return position <= id.value; });
    return InstId(id.value + static_cast<uint32_t>(shift));
  };
  for (const Insertion& each : insertions) {
    const InstId made = each.before;  // nothing before it has moved
    // Inserts a copy of what runs there; its users go back to the original.
    const InstId source = made;
    RepeatInstruction(module, {source, source});
    done.push_back(made.value);
    const Computation& comp = module.comp(module.inst(made).parent);
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      const Inst& user = module.insts[i];
      for (uint32_t k = 0; k < user.operand_count; ++k) {
        InstId& operand = module.operands[user.operands_begin + k];
        if (operand == made) operand = InstId(made.value + 1);
      }
    }
    Inst& record = module.insts[made.index()];
    record.opcode = each.opcode;
    record.shape = each.shape;
    record.attrs = module.Attrs({});
    record.extra = 0;
    record.flags = 0;
    SetOperands(module, made, each.operands);
    for (const InsertedUse& use : each.uses) {
      const InstId reader = now(use.reader);
      const std::span<const InstId> old = module.operands_of(module.inst(reader));
      std::vector<InstId> operands(old.begin(), old.end());
      for (const uint32_t slot : use.slots) {
        if (slot < operands.size()) operands[slot] = made;
      }
      if (use.slots.empty()) operands.push_back(made);
      SetOperands(module, reader, operands);
    }
  }
  FollowInsts(program.assign, now);
}

void ReorderEntry(std::span<const int64_t> priorities, EditedProgram& program) {
  Module& module = program.module;
  const Computation& comp = module.comp(module.entry);
  std::vector<std::vector<uint32_t>> users(comp.count);
  std::vector<uint32_t> waits(comp.count, 0);
  const auto add = [&](int64_t from, uint32_t to) {
    if (from < comp.first || from >= int64_t{comp.first} + comp.count) return;
    users[static_cast<size_t>(from - comp.first)].push_back(to);
    ++waits[to];
  };
  for (uint32_t i = 0; i < comp.count; ++i) {
    const Inst& inst = module.insts[comp.first + i];
    for (const InstId operand : module.operands_of(inst)) {
      if (operand.valid()) add(operand.value, i);
    }
    for (const int64_t each : module.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
      add(each, i);
    }
  }
  using Ready = std::pair<int64_t, uint32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  const auto push = [&](uint32_t i) { ready.emplace(priorities[comp.first + i], i); };
  for (uint32_t i = 0; i < comp.count; ++i) {
    if (waits[i] == 0) push(i);
  }
  std::vector<InstId> order;
  order.reserve(module.insts.size());
  for (uint32_t i = 0; i < comp.first; ++i) order.emplace_back(i);
  while (!ready.empty()) {
    const uint32_t i = ready.top().second;
    ready.pop();
    order.emplace_back(comp.first + i);
    for (const uint32_t user : users[i]) {
      if (--waits[user] == 0) push(user);
    }
  }
  if (order.size() != size_t{comp.first} + comp.count) return;  // a cycle
  for (size_t i = order.size(); i < module.insts.size(); ++i) {
    order.emplace_back(static_cast<uint32_t>(i));
  }
  std::vector<InstId> now(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) now[order[i].index()] = InstId(i);
  ReorderInstructions(module, order);
  FollowInsts(program.assign, [&](InstId id) { return id.valid() ? now[id.index()] : id; });
}

}  // namespace halo
