// The change of the peak between two programs: XLA's own assignments where the dumps have them,
// otherwise plans made here.
#ifndef HALO_API_DIFF_PEAK_OF_DOCUMENTS_H_
#define HALO_API_DIFF_PEAK_OF_DOCUMENTS_H_

#include <memory>
#include <string>

#include "halo/api/document/document.h"
#include "halo/diff/match/matched_programs.h"
#include "halo/diff/peak/peak_change.h"

namespace halo {

struct MemoryResult;  // halo/api/memory
class BoundAssignment;

// One program's memory, with values linked to the program.
struct PlanOfProgram {
  const MemoryResult& result;
  const BoundAssignment& bound;
};

// Both plans must have times.
std::shared_ptr<const PeakChange> PeakOfPlans(const PlanOfProgram& before,
                                              const PlanOfProgram& after,
                                              const MatchedPrograms& programs);

// `programs` are the first modules of the documents. None if a program is not scheduled or cannot
// be planned; `why` then says so where that is worth saying.
std::shared_ptr<const PeakChange> PeakOfDocuments(const Document& before, const Document& after,
                                                  const MatchedPrograms& programs,
                                                  std::string& why);

}  // namespace halo

#endif  // HALO_API_DIFF_PEAK_OF_DOCUMENTS_H_
