// Contracts async wrappers. An async-start that calls a computation with one instruction besides
// its parameters is printed as that instruction with -start; the computation is not printed.
#include <algorithm>

#include "halo/text/canonical/canonical.h"

namespace halo {
namespace {

// The only instruction of a wrapper computation, or null.
const Inst* OnlyInstruction(const Module& module, const Computation& comp) {
  if (!comp.root.valid()) return nullptr;
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    if (InstId(i) != comp.root && module.insts[i].opcode != Opcode::kParameter) return nullptr;
  }
  const Inst& root = module.inst(comp.root);
  return root.opcode == Opcode::kUnknown ? nullptr : &root;
}

}  // namespace

void ContractAsyncWrappers(Module& module) {
  std::vector<bool> contracted(module.comps.size());
  std::vector<Attr> attrs;
  for (Inst& inst : module.insts) {
    const bool is_start = inst.opcode == Opcode::kAsyncStart;
    if (!is_start && inst.opcode != Opcode::kAsyncUpdate && inst.opcode != Opcode::kAsyncDone)
      continue;
    if (!is_start) {
      // The wrapper's attributes are on the start; later steps do not repeat them.
      attrs.clear();
      for (const Attr& attr : module.attrs_of(inst)) {
        if (attr.key != AttrKey::k_calls && attr.key != AttrKey::k_async_execution_thread)
          attrs.push_back(attr);
      }
      inst.attrs = module.Attrs(attrs);
      const std::span<const InstId> operands = module.operands_of(inst);
      if (operands.empty() || !operands[0].valid()) continue;
      const Inst& before = module.inst(operands[0]);
      if ((before.flags & kInstSugar) == 0) continue;
      inst.flags |= kInstSugar;
      inst.wrapped = before.wrapped;
      continue;
    }
    const Attr* calls = module.Find(inst, AttrKey::k_calls);
    if (calls == nullptr || module.list(calls->value).size() != 1) continue;
    const CompId target(static_cast<uint32_t>(module.list(calls->value)[0]));
    const Inst* wrapped = OnlyInstruction(module, module.comp(target));
    if (wrapped == nullptr) continue;
    contracted[target.index()] = true;
    attrs.clear();
    const bool own_frontend = module.Find(inst, AttrKey::k_frontend_attributes) != nullptr;
    for (const Attr& attr : module.attrs_of(*wrapped)) {
      switch (attr.key) {
        case AttrKey::k_metadata:
        case AttrKey::k_backend_config:
        case AttrKey::k_origin: break;
        case AttrKey::k_frontend_attributes:
          if (!own_frontend) attrs.push_back(attr);
          break;
        default: attrs.push_back(attr);
      }
    }
    for (const Attr& attr : module.attrs_of(inst)) {
      if (attr.key != AttrKey::k_calls) attrs.push_back(attr);
    }
    inst.flags |= kInstSugar;
    inst.wrapped = wrapped->opcode;
    inst.attrs = module.Attrs(attrs);
  }
  // The wrappers are not printed, but their names stay taken: see UniquifyNames.
  for (size_t i = 0; i < contracted.size(); ++i) {
    if (contracted[i]) module.comps[i].hidden = true;
  }
}

}  // namespace halo
