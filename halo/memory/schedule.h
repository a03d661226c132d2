// An order for modules that XLA has not scheduled yet: for each computation the one of a few
// heuristics that needs the least memory at its worst moment. XLA's own choice may differ.
#ifndef HALO_MEMORY_SCHEDULE_H_
#define HALO_MEMORY_SCHEDULE_H_

#include "halo/ir/module.h"
#include "halo/memory/backend_rules.h"

namespace halo {

// Reorders the instructions of every computation that runs in sequence. A module whose operands
// form a cycle stays as it is.
void ScheduleForMemory(Module& module, const BackendRules& rules);

}  // namespace halo

#endif  // HALO_MEMORY_SCHEDULE_H_
