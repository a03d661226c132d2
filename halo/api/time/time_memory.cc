// The plan is the one that `halo memory` makes for the module alone.
#include "halo/api/time/time_memory.h"

#include "halo/memory/assign/assign.h"
#include "halo/memory/backend/backend_rules.h"
#include "halo/memory/explain/explain.h"
#include "halo/memory/explain/origins.h"

namespace halo {

TimeMemory PlanTimeMemory(const Module& module, std::optional<Backend> backend) {
  TimeMemory memory;
  memory.bytes.assign(module.insts.size(), -1);
  if (!module.is_scheduled()) return memory;
  AssignOptions options;
  options.rules = DetectRules(module, backend.value_or(Backend::kGpu));
  const Result<PlannedMemory> planned = PlanMemory(module, options);
  if (!planned.ok()) return memory;
  const BoundAssignment bound(planned->assignment, &module, planned->ids);
  const Origins origins(bound);
  const Result<MemoryExplanation> explained = ExplainMemory(bound, origins, backend, {});
  if (!explained.ok() || !explained->has_times) return memory;
  for (size_t i = 0; i < memory.bytes.size(); ++i) {
    const int64_t time = bound.time(InstId(static_cast<uint32_t>(i)));
    if (time < 0 || static_cast<size_t>(time) >= explained->profile.size()) continue;
    memory.bytes[i] = explained->held_bytes + explained->profile[static_cast<size_t>(time)];
  }
  for (const LiveEntry& entry : explained->entries) {
    if (entry.value_role == ValueRole::kWeights && entry.donated)
      memory.updated_weights += entry.bytes;
  }
  return memory;
}

}  // namespace halo
