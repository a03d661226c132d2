// Determines the order, ids and names in the proto. XLA loads a proto only if every definition
// precedes its uses and no name occurs twice in the module.
#include <algorithm>
#include <unordered_set>

#include "halo/ir/name_uniquer.h"
#include "halo/proto/write/write_context.h"

namespace halo {
namespace {

// Orders 0..count-1 so that the needs of i come before i. Keeps the given order if it already
// qualifies, otherwise runs a depth-first search from each in turn. Cycles are broken.
template <class NeedsOf>
std::vector<uint32_t> NeedsFirst(size_t count, const NeedsOf& needs_of) {
  std::vector<uint32_t> order;
  order.reserve(count);
  std::vector<uint32_t> needs;
  bool sorted = true;
  for (uint32_t i = 0; i < count && sorted; ++i) {
    needs.clear();
    needs_of(i, needs);
    sorted = std::all_of(needs.begin(), needs.end(), [i](uint32_t need) { return need < i; });
    order.push_back(i);
  }
  if (sorted) return order;

  order.clear();
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(count, kNew);
  std::vector<uint32_t> stack;
  for (uint32_t start = 0; start < count; ++start) {
    stack.push_back(start);
    while (!stack.empty()) {
      const uint32_t top = stack.back();
      if (state[top] != kNew) {
        stack.pop_back();
        if (state[top] == kOpen) order.push_back(top);
        state[top] = kDone;
        continue;
      }
      state[top] = kOpen;
      needs.clear();
      needs_of(top, needs);
      for (size_t i = needs.size(); i-- > 0;) {
        if (state[needs[i]] == kNew) stack.push_back(needs[i]);
      }
    }
  }
  return order;
}

}  // namespace

void ProtoWriter::OrderComputations() {
  std::vector<uint32_t> position(module_.comps.size(), CompId::kNoneValue);
  for (uint32_t i = 0; i < module_.order.size(); ++i) position[module_.order[i].index()] = i;
  std::vector<CompId> called;
  const auto order =
      NeedsFirst(module_.order.size(), [&](uint32_t i, std::vector<uint32_t>& needs) {
        const Computation& comp = module_.comp(module_.order[i]);
        called.clear();
        for (uint32_t k = comp.first; k < comp.first + comp.count; ++k) {
          module_.CalledBy(module_.insts[k], called);
        }
        for (const CompId callee : called) {
          if (position[callee.index()] != CompId::kNoneValue)
            needs.push_back(position[callee.index()]);
        }
      });
  for (const uint32_t i : order) comps_.push_back(module_.order[i]);
  is_fusion_.assign(module_.comps.size(), false);
  for (const Inst& inst : module_.insts) {
    if (inst.opcode != Opcode::kFusion) continue;
    for (const int64_t body : module_.IntsOf(inst.attrs, AttrKey::k_calls)) {
      is_fusion_[static_cast<size_t>(body)] = true;
    }
  }
}

void ProtoWriter::OrderInstructions(CompId id) {
  const Computation& comp = module_.comp(id);
  const auto inside = [&](InstId inst) {
    return inst.valid() && inst.value >= comp.first && inst.value < comp.first + comp.count;
  };
  const auto order = NeedsFirst(comp.count, [&](uint32_t i, std::vector<uint32_t>& needs) {
    const Inst& inst = module_.insts[comp.first + i];
    for (const int64_t pred : module_.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
      const InstId before(static_cast<uint32_t>(pred));
      if (inside(before)) needs.push_back(before.value - comp.first);
    }
    for (const InstId operand : module_.operands_of(inst)) {
      if (inside(operand)) needs.push_back(operand.value - comp.first);
    }
  });
  std::vector<InstId>& insts = insts_[id.index()];
  insts.reserve(order.size());
  for (const uint32_t i : order) insts.emplace_back(comp.first + i);
}

void ProtoWriter::GiveIds() {
  const bool given = options_.instruction_ids.size() >= module_.insts.size() &&
                     options_.computation_ids.size() >= module_.comps.size();
  inst_ids_.assign(module_.insts.size(), 0);
  comp_ids_.assign(module_.comps.size(), 0);
  int64_t next_inst = 0, next_comp = 0;
  for (const CompId comp : comps_) {
    comp_ids_[comp.index()] = given ? options_.computation_ids[comp.index()] : ++next_comp;
    for (const InstId inst : insts_[comp.index()]) {
      inst_ids_[inst.index()] = given ? options_.instruction_ids[inst.index()] : ++next_inst;
    }
  }
}

void ProtoWriter::GiveNames() {
  std::unordered_set<std::string_view> inst_seen, comp_seen;
  inst_seen.reserve(module_.insts.size());
  bool unique = !plain_names_;
  const auto take = [&](std::unordered_set<std::string_view>& seen, StrId name) {
    unique = unique && !module_.text(name).empty() && seen.insert(module_.text(name)).second;
  };
  for (const CompId id : comps_) {
    const Computation& comp = module_.comp(id);
    take(comp_seen, comp.name);
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      take(inst_seen, module_.insts[i].name);
    }
  }
  if (unique) return;
  NameUniquer insts, comps;
  for (const CompId id : module_.order) {
    const Computation& comp = module_.comp(id);
    std::string name = comps.Unique(module_.text(comp.name));
    if (name != module_.text(comp.name)) comp_names_.emplace(id.value, std::move(name));
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      const Inst& inst = module_.insts[i];
      const bool implied = (inst.flags & kInstImplicit) != 0;
      const std::string_view old =
          implied ? TextOf(Opcode::kGetTupleElement) : module_.name_of(inst);
      name = insts.Unique(old);
      if (name != module_.name_of(inst)) inst_names_.emplace(i, std::move(name));
    }
  }
}

std::string_view ProtoWriter::NameOf(InstId id) const {
  const auto changed = inst_names_.find(id.value);
  return changed == inst_names_.end() ? module_.name_of(module_.inst(id)) : changed->second;
}

std::string_view ProtoWriter::NameOf(CompId id) const {
  const auto changed = comp_names_.find(id.value);
  return changed == comp_names_.end() ? module_.text(module_.comp(id).name) : changed->second;
}

}  // namespace halo
