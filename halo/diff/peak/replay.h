// Verifies the causes of a changed peak: the first program is planned again with one change at a
// time, made as the second program shows it. Donations, the order of execution, copies and values
// that moved into or out of a kernel can be replayed; other causes stay correlations.
#ifndef HALO_DIFF_PEAK_REPLAY_H_
#define HALO_DIFF_PEAK_REPLAY_H_

#include <optional>

#include "halo/diff/peak/peak_change.h"
#include "halo/memory/assign/assign.h"

namespace halo {

struct ReplayOptions {
  AssignOptions assign;  // the rules of the first program's plan
  std::optional<Backend> backend;
  int64_t plans = 6;  // at most, besides the plan of the unchanged program
};

void ReplayCauses(const MatchedPrograms& programs, StoredValues& before, StoredValues& after,
                  const ReplayOptions& options, PeakChange& change);

}  // namespace halo

#endif  // HALO_DIFF_PEAK_REPLAY_H_
