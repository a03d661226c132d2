// A value that is read after it was overwritten need not be copied if the read can precede the
// write. Either the reader moves up with what it needs, or the writer moves down with what needs
// it, whichever moves fewer instructions.
#ifndef HALO_PASSES_MEMORY_MOVE_READERS_H_
#define HALO_PASSES_MEMORY_MOVE_READERS_H_

#include <cstdint>
#include <vector>

#include "halo/ir/module.h"
#include "halo/passes/memory/lost_values.h"

namespace halo {

// Returns a new order of all instructions, for ReorderInstructions; empty if nothing can move. Adds
// the number of moved instructions to `moves`.
std::vector<InstId> MoveReaders(const Module& module, const std::vector<LostValue>& lost,
                                int64_t& moves);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_MOVE_READERS_H_
