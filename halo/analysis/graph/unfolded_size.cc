// One sum for each computation, callees first.
#include "halo/analysis/graph/unfolded_size.h"

#include <vector>

#include "halo/base/capped.h"
#include "halo/ir/op_properties.h"

namespace halo {

bool OwnsItsComputations(Opcode opcode) {
  switch (FlowOf(opcode)) {
    case OpFlow::kCall:
    case OpFlow::kConditional:
    case OpFlow::kWhile:
    case OpFlow::kFusion: return true;
    default: return false;
  }
}

int64_t UnfoldedSize(const Module& module, const CallGraph& calls) {
  if (!module.entry.valid()) return 0;
  std::vector<int64_t> sizes(module.comps.size(), 0);
  std::vector<CompId> called;
  for (const CompId id : calls.post_order()) {
    const Computation& comp = module.comp(id);
    int64_t& size = sizes[id.index()];
    size = comp.count;
    for (uint32_t i = 0; i < comp.count; ++i) {
      const Inst& inst = module.insts[comp.first + i];
      if (!OwnsItsComputations(inst.opcode)) continue;
      called.clear();
      module.CalledBy(inst, called);
      for (const CompId callee : called) size = AddCapped(size, sizes[callee.index()]);
    }
  }
  return sizes[module.entry.index()];
}

}  // namespace halo
