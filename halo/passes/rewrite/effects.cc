// Effects of opcodes, carried from called computations to their callers.
#include "halo/passes/rewrite/effects.h"

#include "halo/ir/op_properties.h"

namespace halo {

bool HasOwnEffect(const Module& module, const Inst& inst) {
  switch (PropertiesOf(inst.opcode).effect) {
    case OpEffect::kNone: return false;
    case OpEffect::kStated:
      return module.BoolOr(inst.attrs, AttrKey::k_custom_call_has_side_effect, false);
    case OpEffect::kAlways:
    case OpEffect::kGroup:
    case OpEffect::kGroupWithChannel:
    case OpEffect::kGroupUnlessFused:
    case OpEffect::kUnknown: return true;
  }
  return true;
}

std::vector<bool> ComputationsWithEffects(const Module& module) {
  std::vector<bool> found(module.comps.size(), false);
  std::vector<std::vector<uint32_t>> callers(module.comps.size());
  std::vector<CompId> called;
  std::vector<uint32_t> work;
  for (const Inst& inst : module.insts) {
    const uint32_t parent = inst.parent.value;
    if (HasOwnEffect(module, inst) && !found[parent]) {
      found[parent] = true;
      work.push_back(parent);
    }
    called.clear();
    module.CalledBy(inst, called);
    for (const CompId comp : called) callers[comp.index()].push_back(parent);
  }
  while (!work.empty()) {
    const uint32_t comp = work.back();
    work.pop_back();
    for (const uint32_t caller : callers[comp]) {
      if (found[caller]) continue;
      found[caller] = true;
      work.push_back(caller);
    }
  }
  return found;
}

bool HasEffect(const Module& module, const Inst& inst, const std::vector<bool>& with_effects) {
  if (HasOwnEffect(module, inst)) return true;
  std::vector<CompId> called;
  module.CalledBy(inst, called);
  for (const CompId comp : called) {
    if (comp.index() < with_effects.size() && with_effects[comp.index()]) return true;
  }
  return false;
}

}  // namespace halo
