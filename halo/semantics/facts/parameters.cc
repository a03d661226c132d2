// Makes one pass over the computation.
#include "halo/semantics/facts/parameters.h"

namespace halo {

std::vector<InstId> ParametersOf(const Module& module, CompId comp) {
  std::vector<InstId> parameters;
  if (!comp.valid()) return parameters;
  const Computation& computation = module.comp(comp);
  for (uint32_t i = 0; i < computation.count; ++i) {
    const InstId id(computation.first + i);
    const Inst& inst = module.inst(id);
    if (inst.opcode != Opcode::kParameter || inst.extra >= computation.count) continue;
    if (parameters.size() <= inst.extra) parameters.resize(inst.extra + size_t{1});
    parameters[inst.extra] = id;
  }
  return parameters;
}

}  // namespace halo
