// How much one element of an op costs, in units of a vectorised addition; what that is worth
// against memory traffic is the fusion pass's to weigh.
#ifndef HALO_PASSES_REWRITE_OP_COST_H_
#define HALO_PASSES_REWRITE_OP_COST_H_

#include "halo/ir/op_properties.h"

namespace halo {

inline int OpCost(Opcode opcode) {
  switch (PropertiesOf(opcode).cost) {
    case CostClass::kFree: return 0;
    case CostClass::kCheap: return 1;
    case CostClass::kDivision: return 4;
    case CostClass::kFunction: return 20;
    case CostClass::kSlowFunction: return 60;
  }
  return 1;
}

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_OP_COST_H_
