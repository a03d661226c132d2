// Makes the buffer assignment XLA would make for a scheduled module: the same allocations with the
// same numbers, sizes and offsets.
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

// Where fast memory holds a value: what TPU's compiler decided before, and no text but an
// assignment says.
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

// What an assignment shows of the spaces that its backend fills before it assigns buffers.
std::vector<PresetColor> PresetsOf(const BoundAssignment& given, Backend backend);

// What if a value, and all that must share its memory, took so many bytes at most.
struct ResizedValue {
  InstId inst;
  uint32_t node = 0;
  int64_t bytes = 0;
};

struct AssignOptions {
  BackendRules rules;
  std::vector<PresetColor> presets;
  // Instead of the module's input_output_alias: what if parameters were (not) donated.
  std::optional<std::vector<AliasEntry>> aliases;
  std::vector<ResizedValue> resized;
  // Also say where each value appears and is used.
  bool with_uses = true;
};

struct PlannedMemory {
  Assignment assignment;
  AssignmentIds ids;  // in the module that was planned
};
Result<PlannedMemory> PlanMemory(const Module& module, const AssignOptions& options);

// The assignment alone.
Result<Assignment> AssignBuffers(const Module& module, const AssignOptions& options);

// The same from what an assignment prints of its values, without its module: what XLA would place
// where. With `keeps_presets`, values of the spaces that the backend fills before stay where they
// are.
Assignment ReassignBuffers(const Assignment& printed, const BackendRules& rules,
                           bool keeps_presets);

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_ASSIGN_H_
