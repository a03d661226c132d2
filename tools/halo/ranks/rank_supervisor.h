// MPICH's mpiexec, with or without -disable-auto-cleanup, kills the ranks of a machine as soon as
// one of them has closed its connection, often before they can say which rank was lost or remove
// what they have half written. So a rank that it starts is two processes, and the one that it knows
// outlives the one that works by a moment.
#ifndef TOOLS_HALO_RANKS_RANK_SUPERVISOR_H_
#define TOOLS_HALO_RANKS_RANK_SUPERVISOR_H_

#include <optional>

namespace halo::tool {

// Nothing in the worker, which goes on as the rank. In the supervisor: the exit code of the rank,
// after the worker has ended and the other ranks have had time to end by themselves.
std::optional<int> SuperviseRank();

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_RANK_SUPERVISOR_H_
