// A value that is read after it was overwritten need not be copied if the read can come before the
// write: the reader with what it needs moves up, or the writer with what needs it moves down,
// whichever moves fewer instructions.
#ifndef HALO_PASSES_MEMORY_MOVE_READERS_H_
#define HALO_PASSES_MEMORY_MOVE_READERS_H_

#include <cstdint>
#include <vector>

#include "halo/ir/module.h"
#include "halo/passes/memory/lost_values.h"

namespace halo {

// A new order of all instructions, for ReorderInstructions; empty if nothing can move. Adds to
// `moves` how many moved.
std::vector<InstId> MoveReaders(const Module& module, const std::vector<LostValue>& lost,
                                int64_t& moves);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_MOVE_READERS_H_
