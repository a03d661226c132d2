// Orders for modules that XLA has not scheduled yet, from a few heuristics that keep memory low.
// Planning decides which of them needs the least memory; XLA's own choice may differ.
#ifndef HALO_MEMORY_ASSIGN_SCHEDULE_H_
#define HALO_MEMORY_ASSIGN_SCHEDULE_H_

#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/backend/backend_rules.h"

namespace halo {

// Complete orders of the module's instructions, for ReorderInstructions. The first takes for each
// computation the order that looks best there; the others use one heuristic throughout.
// Computations whose operands form a cycle stay unchanged.
std::vector<std::vector<InstId>> SchedulesForMemory(const Module& module,
                                                    const BackendRules& rules);

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_SCHEDULE_H_
