// The rules that look at one value, one group or one allocation at a time: everything except
// overlaps.
#ifndef HALO_MEMORY_CHECK_CHECK_RULES_H_
#define HALO_MEMORY_CHECK_CHECK_RULES_H_

#include "halo/memory/check/check_assignment.h"
#include "halo/memory/check/check_facts.h"
#include "halo/memory/check/check_report.h"
#include "halo/memory/model/assignment.h"

namespace halo::check {

void CheckPlacementRules(const Assignment& assignment, const Facts& facts, CheckRules rules,
                         Report& report);

}  // namespace halo::check

#endif  // HALO_MEMORY_CHECK_CHECK_RULES_H_
