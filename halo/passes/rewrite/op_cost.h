// The cost of one element of an op, in units of a vectorised addition. Weighing it against memory
// traffic is left to the fusion pass.
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
