// How large a module becomes if every call gets a separate computation. It grows exponentially
// with calls of calls, so that passes which copy computations ask first.
#ifndef HALO_ANALYSIS_GRAPH_UNFOLDED_SIZE_H_
#define HALO_ANALYSIS_GRAPH_UNFOLDED_SIZE_H_

#include <cstdint>

#include "halo/analysis/graph/call_graph.h"
#include "halo/ir/module.h"

namespace halo {

// Instructions, and arrays of tuples; modules that would have more are not unfolded.
inline constexpr int64_t kMostUnfolded = 4'000'000;

// True for fusions and opcodes that run their computations, which are never shared when a module is
// unfolded. The ops of an async chain may share one computation.
bool OwnsItsComputations(Opcode opcode);

// Instructions of the unfolded module and the arrays of tuples that it has more of than this one,
// or the largest number if there are more. `calls` must not be cyclic.
int64_t UnfoldedSize(const Module& module, const CallGraph& calls);

}  // namespace halo

#endif  // HALO_ANALYSIS_GRAPH_UNFOLDED_SIZE_H_
