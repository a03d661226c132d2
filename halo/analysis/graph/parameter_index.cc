// A computation's instructions are contiguous, so its parameters are a range of all parameters.
#include "halo/analysis/graph/parameter_index.h"

#include <algorithm>

namespace halo {

ParameterIndex::ParameterIndex(const Module& module) : module_(module) {
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    if (module.insts[i].opcode == Opcode::kParameter) parameters_.emplace_back(i);
  }
}

std::span<const InstId> ParameterIndex::of(CompId comp) const {
  const Computation& within = module_.comp(comp);
  const InstId first(within.first), end(within.first + within.count);
  return {std::lower_bound(parameters_.begin(), parameters_.end(), first),
          std::lower_bound(parameters_.begin(), parameters_.end(), end)};
}

}  // namespace halo
