// Puts matching, edits and causes together, and says in one sentence how the programs relate.
#include "halo/diff/diff.h"

#include <string>
#include <utility>

#include "halo/base/strings/human_size.h"
#include "halo/diff/explain/edits.h"
#include "halo/diff/explain/placement_causes.h"
#include "halo/diff/explain/value_causes.h"
#include "halo/diff/match/matched_programs.h"

namespace halo {
namespace {

std::string VerdictOf(const ProgramDiff& diff) {
  const DiffCounts& counts = diff.counts;
  if (diff.same) {
    return "the same program: all " + Counted(counts.matched, "value") + " match";
  }
  if (diff.same_values) {
    return "the same program, compiled differently: all " + Counted(counts.matched, "value") +
           " match";
  }
  return "different programs: of " + Counted(counts.before, "value") + ", " +
         GroupedDigits(counts.matched - counts.changed - counts.rewired) + " match, " +
         GroupedDigits(counts.changed + counts.rewired) + " changed, " +
         GroupedDigits(counts.deleted) + " removed; " + GroupedDigits(counts.inserted) + " added";
}

}  // namespace

ProgramDiff DiffPrograms(const Module& before, const Module& after) {
  return DiffPrograms(MatchedPrograms(before, after));
}

ProgramDiff DiffPrograms(const MatchedPrograms& programs) {
  ProgramDiff diff;
  if (!programs.graph_a.is_complete()) {
    diff.refused = "the first program " + std::string(programs.graph_a.problem);
    return diff;
  }
  if (!programs.graph_b.is_complete()) {
    diff.refused = "the second program " + std::string(programs.graph_b.problem);
    return diff;
  }
  const Edits edits = FindEdits(programs);
  diff.counts = CountEdits(programs, edits);
  AddValueCauses(programs, edits, diff.causes);
  CauseList placement;
  AddFusionCauses(programs, placement);
  AddRepeatCauses(programs, placement);
  AddCopyCauses(programs, placement);
  AddAttributeCauses(programs, placement);
  AddModuleCauses(programs, placement);
  for (DiffCause& cause : placement.Take()) diff.causes.push_back(std::move(cause));
  RankCauses(diff.causes);
  diff.same_values = diff.counts.edits() == 0;
  diff.same = diff.same_values && diff.causes.empty();
  diff.verdict = VerdictOf(diff);
  return diff;
}

}  // namespace halo
