// Makes the buffer assignment XLA would make for a scheduled module: the same allocations with the
// same numbers, sizes and offsets.
#ifndef HALO_MEMORY_ASSIGN_H_
#define HALO_MEMORY_ASSIGN_H_

#include <optional>
#include <vector>

#include "halo/base/result.h"
#include "halo/ir/aliasing.h"
#include "halo/ir/module.h"
#include "halo/memory/assignment.h"
#include "halo/memory/backend_rules.h"

namespace halo {

struct AssignOptions {
  BackendRules rules;
  // Instead of the module's input_output_alias: what if parameters were (not) donated.
  std::optional<std::vector<AliasEntry>> aliases;
  // Also say where each value appears and is used.
  bool with_uses = true;
};

Result<Assignment> AssignBuffers(const Module& module, const AssignOptions& options);

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_H_
