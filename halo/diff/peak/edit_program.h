// Small edits of a scheduled program for planning it again: instructions inserted, read instead of
// others, or run in another order. The edited program is only planned, never run, so an inserted
// instruction may have any operands.
#ifndef HALO_DIFF_PEAK_EDIT_PROGRAM_H_
#define HALO_DIFF_PEAK_EDIT_PROGRAM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/assign/assign.h"

namespace halo {

// How an instruction reads an inserted one.
struct InsertedUse {
  InstId reader;                // at or after the position
  std::vector<uint32_t> slots;  // operands to replace; empty: it is one more operand
};

// Ids are those of the program before all insertions.
struct Insertion {
  InstId before;
  Opcode opcode = Opcode::kCustomCall;
  ShapeId shape;
  std::vector<InstId> operands;  // before the position
  std::vector<InsertedUse> uses;
};

struct EditedProgram {
  Module module;
  AssignOptions assign;
};

void InsertAll(std::vector<Insertion> insertions, EditedProgram& program);

// Runs the instructions of the entry computation by rising `priorities`, as far as operands and
// control dependencies allow. One priority for each instruction of the module.
void ReorderEntry(std::span<const int64_t> priorities, EditedProgram& program);

}  // namespace halo

#endif  // HALO_DIFF_PEAK_EDIT_PROGRAM_H_
