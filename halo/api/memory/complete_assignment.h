// Live ranges and uses that the files of a dump lack. Both are facts of the program, so they are
// taken from a plan of the same module, where the assignment's names are found. A file that lists
// uses lists positions as well.
#ifndef HALO_API_MEMORY_COMPLETE_ASSIGNMENT_H_
#define HALO_API_MEMORY_COMPLETE_ASSIGNMENT_H_

#include "halo/memory/assign/assign.h"
#include "halo/memory/bind/bound_assignment.h"
#include "halo/memory/model/assignment.h"

namespace halo {

[[nodiscard]] bool LacksLiveRanges(const Assignment& assignment);
[[nodiscard]] bool LacksUses(const Assignment& assignment);

// Adds what `given` lacks. `ids` are those of `given` in the module that was planned.
void CompleteAssignment(const PlannedMemory& plan, Assignment& given, AssignmentIds& ids);

}  // namespace halo

#endif  // HALO_API_MEMORY_COMPLETE_ASSIGNMENT_H_
