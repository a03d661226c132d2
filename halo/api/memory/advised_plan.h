// The plan of a program that follows one piece of advice, in place of the plan of the program as it
// is.
#ifndef HALO_API_MEMORY_ADVISED_PLAN_H_
#define HALO_API_MEMORY_ADVISED_PLAN_H_

#include "halo/api/memory/memory.h"

namespace halo {

// `result` holds the advice for `planned`, a plan of `module` under `options`; both are null if
// there is no plan. Replaces the result's assignment and explanation by those of the changed
// program; `bytes_before` becomes the bytes of `planned`. On failure, adds a diagnostic and returns
// false.
bool ShowAdvisedPlan(const MemoryRequest& request, const Module* module,
                     const PlannedMemory* planned, const AssignOptions& options,
                     MemoryResult& result);

}  // namespace halo

#endif  // HALO_API_MEMORY_ADVISED_PLAN_H_
