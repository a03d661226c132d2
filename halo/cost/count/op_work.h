// The arithmetic of one instruction, given that of the computations it applies. Follows the column
// `work` of op_properties.def.
#ifndef HALO_COST_COUNT_OP_WORK_H_
#define HALO_COST_COUNT_OP_WORK_H_

#include <span>

#include "halo/cost/count/cost.h"
#include "halo/ir/module.h"

namespace halo {

struct OpWorkResult {
  Work work;
  bool known = true;  // false: only the call target knows
};

// `by_comp` holds the work of one run of each computation that is applied or fused.
OpWorkResult WorkOfInst(const Module& module, const Inst& inst, std::span<const Work> by_comp);

}  // namespace halo

#endif  // HALO_COST_COUNT_OP_WORK_H_
