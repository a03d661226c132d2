// Reorders the instructions of a program's computations, or duplicates some of them. The caller is
// responsible for the legality of the new order.
#ifndef HALO_IR_REORDER_H_
#define HALO_IR_REORDER_H_

#include <span>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

// `order` lists every instruction of the module once. The instructions of a computation stay
// adjacent and the computations keep their positions. Ids are renumbered to match.
void ReorderInstructions(Module& module, std::span<const InstId> order);

// The new position of an instruction: right before another one of the same computation.
struct InstPosition {
  InstId inst, before;
};

// Returns the new order: the old id of each instruction.
std::vector<InstId> MoveInstructions(Module& module, std::span<const InstPosition> moves);

// Inserts a copy of `inst` right before `before`; users from there on read the copy.
void RepeatInstruction(Module& module, InstPosition position);

}  // namespace halo

#endif  // HALO_IR_REORDER_H_
