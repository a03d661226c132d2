// Names are compared one by one: they are looked up rarely, and a table would have to be kept.
#include "halo/lsp/document/find_instruction.h"

namespace halo::lsp {

InstId FindInstruction(const Module& module, std::string_view computation,
                       std::string_view instruction, InstId after) {
  const auto find = [&](uint32_t first, uint32_t last) {
    for (uint32_t i = first; i < last; ++i) {
      if (module.name_of(module.insts[i]) == instruction) return InstId(i);
    }
    return InstId();
  };
  const auto search = [&](const Computation& comp) {
    const uint32_t end = comp.first + comp.count;
    const bool is_inside = after.valid() && after.value >= comp.first && after.value < end;
    const uint32_t from = is_inside ? after.value + 1 : comp.first;
    const InstId found = find(from, end);
    return found.valid() ? found : find(comp.first, from);
  };
  if (after.valid() && after.index() < module.insts.size()) {
    const Computation& comp = module.comp(module.inst(after).parent);
    if (module.text(comp.name) == computation) return search(comp);
  }
  for (const Computation& comp : module.comps) {
    if (comp.defined && module.text(comp.name) == computation) return search(comp);
  }
  return {};
}

}  // namespace halo::lsp
