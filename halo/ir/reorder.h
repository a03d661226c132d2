// The same program with the instructions of its computations in another order, or with some of them
// computed a second time. Whether the new order is a legal one is the caller's business.
#ifndef HALO_IR_REORDER_H_
#define HALO_IR_REORDER_H_

#include <span>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

// `order` holds every instruction of the module once, those of a computation still next to each
// other in its old place; ids change to follow it.
void ReorderInstructions(Module& module, std::span<const InstId> order);

// Where an instruction goes: right before another one of the same computation.
struct InstPlace {
  InstId inst, before;
};

// Returns the new order: the old id of each instruction.
std::vector<InstId> MoveInstructions(Module& module, std::span<const InstPlace> moves);

// Makes a copy of `inst` right before `before`, used instead of it from there on.
void RepeatInstruction(Module& module, InstPlace place);

}  // namespace halo

#endif  // HALO_IR_REORDER_H_
