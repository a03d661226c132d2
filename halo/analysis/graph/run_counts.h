// How often each computation runs when the program runs once: loops multiply by their trip count
// where the compiler recorded it or the loop counts to a constant.
#ifndef HALO_ANALYSIS_GRAPH_RUN_COUNTS_H_
#define HALO_ANALYSIS_GRAPH_RUN_COUNTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

// The known_trip_count in a while's backend_config; without one, what CountedTrips derives.
std::optional<int64_t> KnownTripCount(const Module& module, const Inst& loop);

struct RunCount {
  int64_t runs = 0;       // a loop of unknown trip count counts as one run
  bool at_least = false;  // the call path contains such a loop, or a branch
};

// Indexed by CompId.
std::vector<RunCount> CountRuns(const Module& module);

}  // namespace halo

#endif  // HALO_ANALYSIS_GRAPH_RUN_COUNTS_H_
