// Proves that an assignment is sound, or reports where it is not: no two values that are live
// together and not aliased share a byte, every value fits and has the size its shape needs,
// aliasing and donation are honoured. It derives everything itself, from the module if there is
// one, otherwise from what the assignment prints, and shares no code with the planner that made the
// assignment.
#ifndef HALO_MEMORY_CHECK_CHECK_ASSIGNMENT_H_
#define HALO_MEMORY_CHECK_CHECK_ASSIGNMENT_H_

#include <cstddef>
#include <cstdint>

#include "halo/ir/module.h"
#include "halo/memory/check/violation.h"
#include "halo/memory/model/assignment.h"

namespace halo {

// Which backend's rules apply. kAny accepts whatever any backend may do and checks sizes only from
// below.
enum class CheckRules : uint8_t { kAny, kCpu, kGpu, kTpu };

struct AssignmentCheckOptions {
  CheckRules rules = CheckRules::kAny;
  size_t max_findings = 100;  // kept; all are counted
};

AssignmentFindings CheckAssignment(const Assignment& assignment, const Module* module,
                                   const AssignmentCheckOptions& options = {});

}  // namespace halo

#endif  // HALO_MEMORY_CHECK_CHECK_ASSIGNMENT_H_
