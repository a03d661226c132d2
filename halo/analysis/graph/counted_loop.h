// The trip count of a loop that counts: its counter starts at a constant, changes by a constant and
// is compared with a constant. Loops whose end depends on data have none.
#ifndef HALO_ANALYSIS_GRAPH_COUNTED_LOOP_H_
#define HALO_ANALYSIS_GRAPH_COUNTED_LOOP_H_

#include <cstdint>
#include <optional>

#include "halo/ir/module.h"

namespace halo {

std::optional<int64_t> CountedTrips(const Module& module, const Inst& loop);

}  // namespace halo

#endif  // HALO_ANALYSIS_GRAPH_COUNTED_LOOP_H_
