// Computes the buffer assignment that XLA would compute for a scheduled module: the same
// allocations with the same numbers, sizes and offsets.
#ifndef HALO_MEMORY_ASSIGN_ASSIGN_H_
#define HALO_MEMORY_ASSIGN_ASSIGN_H_

#include <optional>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/module.h"
#include "halo/memory/backend/backend_rules.h"
#include "halo/memory/bind/bound_assignment.h"
#include "halo/memory/model/assignment.h"

namespace halo {

// Where fast memory holds a value. The TPU compiler decides this before buffer assignment, and only
// the text of an assignment shows it.
struct PresetValue {
  InstId inst;
  uint32_t node = 0;  // of the instruction's shape
  int64_t offset = 0, size = 0;
};
struct PresetColor {
  int64_t color = 1;
  int64_t size = 0;
  std::vector<PresetValue> values;
};

// What an assignment shows of the memory spaces that its backend fills before it assigns buffers.
std::vector<PresetColor> PresetsOf(const BoundAssignment& given, Backend backend);

// Turns off in-place updates through bitcasts if the assignment places the result of such a fusion
// elsewhere than its operand, as XLA did before it knew of them.
void RefineInPlace(const BoundAssignment& given, BackendRules& rules);

// The computations in the order of the ids that an assignment prints for their values. XLA keeps
// its computations in an order that depends on how the program was built; a serialized module has
// this order, a text does not.
std::vector<CompId> NumberedComputations(const BoundAssignment& given);

// Assumption: a value, and everything that must share its memory, takes at most this many bytes.
struct ResizedValue {
  InstId inst;
  uint32_t node = 0;
  int64_t bytes = 0;
};

struct AssignOptions {
  BackendRules rules;
  std::vector<PresetColor> presets;
  // Assumption: replaces the module's input_output_alias, to donate more or fewer parameters.
  std::optional<std::vector<AliasEntry>> aliases;
  std::vector<ResizedValue> resized;
  // The order in which XLA numbered the values of computations, if an assignment shows it; else the
  // module's order is taken. Buffers that are alike in all else are assigned in this order.
  std::vector<CompId> numbered;
  // An instruction may read one value as several operands. XLA overwrites the value if one of these
  // reads allows it; a plan that is to be executed needs the permission of all.
  bool protects_every_read = false;
  // Also record where each value appears and is used.
  bool with_uses = true;
};

struct PlannedMemory {
  Assignment assignment;
  AssignmentIds ids;  // in the module that was planned
};
Result<PlannedMemory> PlanMemory(const Module& module, const AssignOptions& options);

// Returns only the assignment.
Result<Assignment> AssignBuffers(const Module& module, const AssignOptions& options);

// Computes the assignment from what another one prints of its values, without the module: where XLA
// would place each value. With `keeps_presets`, values in memory spaces that the backend fills
// before buffer assignment stay where they are.
Assignment ReassignBuffers(const Assignment& printed, const BackendRules& rules,
                           bool keeps_presets);

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_ASSIGN_H_
