// What changed between two programs: the values of both are matched, differences are gathered by
// cause and ranked by bytes. Changes of values come first, then changes of how the same values are
// computed: fusions, layouts, copies, collectives, schedule, donation, sharding, configurations.
// Names, numbers, the order of unscheduled instructions and metadata never count.
#ifndef HALO_DIFF_DIFF_H_
#define HALO_DIFF_DIFF_H_

#include "halo/diff/explain/program_diff.h"
#include "halo/diff/match/matched_programs.h"
#include "halo/ir/module.h"

namespace halo {

ProgramDiff DiffPrograms(const Module& before, const Module& after);
// The same for programs that are matched already.
ProgramDiff DiffPrograms(const MatchedPrograms& programs);

}  // namespace halo

#endif  // HALO_DIFF_DIFF_H_
