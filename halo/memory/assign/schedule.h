// Orders for modules that XLA has not scheduled yet, made by a few heuristics that keep memory low.
// Which of them needs least is found out by planning; XLA's own choice may differ.
#ifndef HALO_MEMORY_ASSIGN_SCHEDULE_H_
#define HALO_MEMORY_ASSIGN_SCHEDULE_H_

#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/backend/backend_rules.h"

namespace halo {

// Whole orders of the module's instructions, for ReorderInstructions. The first takes for each
// computation what looks best there, the others one heuristic throughout. Computations whose
// operands form a cycle stay as they are.
std::vector<std::vector<InstId>> SchedulesForMemory(const Module& module,
                                                    const BackendRules& rules);

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_SCHEDULE_H_
