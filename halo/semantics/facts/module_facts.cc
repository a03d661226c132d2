// One pass over a module for each list.
#include "halo/semantics/facts/module_facts.h"

#include <algorithm>

#include "halo/ir/op_properties.h"

namespace halo {
namespace {

bool HasTiledLayout(const ShapeTable& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    const ShapeId id(i);
    if (!shapes.is_array(id)) continue;
    const Layout* layout = shapes.layout(id);
    if (layout != nullptr && !layout->tiles.empty()) return true;
  }
  return false;
}

bool HasShape(const Module& module, const Inst& inst) {
  return inst.shape.index() < module.shapes.size();
}

void Accumulate(std::vector<uint32_t>& counts) {
  uint32_t total = 0;
  for (uint32_t& count : counts) {
    const uint32_t here = count;
    count = total;
    total += here;
  }
}

}  // namespace

ModuleFacts::ModuleFacts(const Module& module) {
  comps_.resize(module.comps.size());
  replica_count_ = module.IntOr(module.attrs, AttrKey::k_replica_count, 1);
  num_partitions_ = module.IntOr(module.attrs, AttrKey::k_num_partitions, 1);
  tiled_layouts_ = HasTiledLayout(module.shapes);
  FindOperands(module);
  FindUsers(module);
  FindCallers(module);
  FindParameters(module);
  FindReachable(module);
}

void ModuleFacts::FindOperands(const Module& module) {
  operands_ok_.assign(module.insts.size(), true);
  for (size_t i = 0; i < module.insts.size(); ++i) {
    const Inst& inst = module.insts[i];
    bool ok = (inst.flags & kInstBadOperands) == 0 && HasShape(module, inst);
    for (const InstId operand : module.operands_of(inst)) {
      ok = ok && operand.index() < module.insts.size() && HasShape(module, module.inst(operand));
    }
    operands_ok_[i] = ok;
  }
}

void ModuleFacts::FindUsers(const Module& module) {
  // Who was seen to use a value last: an instruction that takes a value twice is one user.
  std::vector<InstId> last(module.insts.size());
  const auto for_each = [&](const auto& visit) {
    last.assign(module.insts.size(), InstId());
    for (size_t i = 0; i < module.insts.size(); ++i) {
      for (const InstId operand : module.operands_of(module.insts[i])) {
        if (operand.index() >= module.insts.size() || last[operand.index()] == InstId(i)) continue;
        last[operand.index()] = InstId(i);
        visit(operand, InstId(i));
      }
    }
  };
  users_begin_.assign(module.insts.size() + 1, 0);
  for_each([&](InstId operand, InstId) { ++users_begin_[operand.index()]; });
  Accumulate(users_begin_);
  users_.resize(users_begin_.back());
  std::vector<uint32_t> next(users_begin_.begin(), users_begin_.end() - 1);
  for_each([&](InstId operand, InstId user) { users_[next[operand.index()]++] = user; });
}

void ModuleFacts::FindCallers(const Module& module) {
  std::vector<CompId> called;
  const auto for_each = [&](const auto& visit) {
    for (size_t i = 0; i < module.insts.size(); ++i) {
      called.clear();
      module.CalledBy(module.insts[i], called);
      for (const CompId comp : called) {
        if (comp.index() < module.comps.size()) visit(comp, InstId(i));
      }
    }
  };
  callers_begin_.assign(module.comps.size() + 1, 0);
  for_each([&](CompId comp, InstId) { ++callers_begin_[comp.index()]; });
  Accumulate(callers_begin_);
  callers_.resize(callers_begin_.back());
  std::vector<uint32_t> next(callers_begin_.begin(), callers_begin_.end() - 1);
  for_each([&](CompId comp, InstId caller) {
    callers_[next[comp.index()]++] = caller;
    const Opcode opcode = module.inst(caller).opcode;
    CompFacts& facts = comps_[comp.index()];
    facts.is_fused = facts.is_fused || opcode == Opcode::kFusion;
    facts.is_async = facts.is_async || opcode == Opcode::kAsyncStart;
    facts.is_applied = facts.is_applied || PropertiesOf(opcode).calls == OpCalls::kApplies;
  });
}

void ModuleFacts::FindParameters(const Module& module) {
  for (size_t c = 0; c < module.comps.size(); ++c) {
    const Computation& comp = module.comps[c];
    CompFacts& facts = comps_[c];
    if (!comp.defined || comp.first + size_t{comp.count} > module.insts.size()) continue;
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      const Inst& inst = module.insts[i];
      if (inst.opcode != Opcode::kParameter) continue;
      // A number beyond the instructions cannot be right, and must not cost memory.
      if (inst.extra >= comp.count) {
        facts.parameters_ok = false;
        continue;
      }
      if (facts.parameters.size() <= inst.extra) facts.parameters.resize(inst.extra + 1);
      if (facts.parameters[inst.extra].valid()) facts.parameters_ok = false;
      facts.parameters[inst.extra] = InstId(i);
    }
    bool shapes_ok = true;
    for (const InstId parameter : facts.parameters) {
      facts.parameters_ok = facts.parameters_ok && parameter.valid();
      shapes_ok = shapes_ok && parameter.valid() && HasShape(module, module.inst(parameter));
    }
    facts.usable = shapes_ok && facts.parameters_ok && comp.root.index() >= comp.first &&
                   comp.root.index() < comp.first + size_t{comp.count} &&
                   HasShape(module, module.inst(comp.root));
  }
}

void ModuleFacts::FindReachable(const Module& module) {
  if (module.entry.index() >= module.comps.size()) {
    for (CompFacts& facts : comps_) facts.reachable = true;
    return;
  }
  std::vector<CompId> open = {module.entry};
  comps_[module.entry.index()].reachable = true;
  std::vector<CompId> called;
  while (!open.empty()) {
    const Computation& comp = module.comp(open.back());
    open.pop_back();
    if (comp.first + size_t{comp.count} > module.insts.size()) continue;
    called.clear();
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      module.CalledBy(module.insts[i], called);
    }
    for (const CompId each : called) {
      if (each.index() >= comps_.size() || comps_[each.index()].reachable) continue;
      comps_[each.index()].reachable = true;
      open.push_back(each);
    }
  }
}

}  // namespace halo
