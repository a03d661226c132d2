// How matched values are computed and stored: in which kernels, layouts and order, with which
// copies, how often, on which devices, with which configuration.
#ifndef HALO_DIFF_EXPLAIN_PLACEMENT_CAUSES_H_
#define HALO_DIFF_EXPLAIN_PLACEMENT_CAUSES_H_

#include <map>
#include <string>
#include <vector>

#include "halo/diff/explain/program_diff.h"
#include "halo/diff/match/matched_programs.h"

namespace halo {

// Causes by kind and text, in the order in which they are first added.
class CauseList {
 public:
  // Adds an instance to the cause with this text.
  DiffCause& Add(CauseKind kind, const std::string& what, int64_t bytes, DiffPlace place);
  [[nodiscard]] std::vector<DiffCause> Take() { return std::move(causes_); }

 private:
  std::vector<DiffCause> causes_;
  std::map<std::pair<CauseKind, std::string>, size_t> known_;
};

void AddFusionCauses(const MatchedPrograms& programs, CauseList& causes);
void AddRepeatCauses(const MatchedPrograms& programs, CauseList& causes);
void AddCopyCauses(const MatchedPrograms& programs, CauseList& causes);
// Layouts, shardings and configurations of matched values.
void AddAttributeCauses(const MatchedPrograms& programs, CauseList& causes);
// Collectives by kind, the schedule, and what the module's header says.
void AddModuleCauses(const MatchedPrograms& programs, CauseList& causes);

}  // namespace halo

#endif  // HALO_DIFF_EXPLAIN_PLACEMENT_CAUSES_H_
