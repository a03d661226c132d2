// The plan of a prepared module: memory from its assignment, a step for each instruction that
// computes. Which code a kernel's step calls is filled in after compiling.
#ifndef HALO_CODEGEN_MAKE_PLAN_H_
#define HALO_CODEGEN_MAKE_PLAN_H_

#include <vector>

#include "halo/base/result.h"
#include "halo/codegen/jit.h"
#include "halo/codegen/prepare.h"
#include "halo/eval/evaluate.h"
#include "halo/runtime/plan.h"

namespace halo {

struct PlanOptions {
  EvalOptions eval;  // how constants left out are filled; which device of how many this is
  bool uses_kernels = true;
  bool uses_libraries = true;
};

struct PlannedModule {
  Plan plan;
  std::vector<JitUnit> units;  // distinct; the steps' calls name their symbols
};

// Both must outlive the plan if it has collectives.
Result<PlannedModule> MakePlan(const PreparedModule& prepared, const PlanOptions& options);

}  // namespace halo

#endif  // HALO_CODEGEN_MAKE_PLAN_H_
