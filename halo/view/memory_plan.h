// A buffer assignment as the viewer shows it: the dump's own, the one halo plans, or the smaller of
// these with its heaps packed again; explained, and ready to be asked about its values.
#ifndef HALO_VIEW_MEMORY_PLAN_H_
#define HALO_VIEW_MEMORY_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "halo/api/memory.h"
#include "halo/memory/memory_profile.h"
#include "halo/memory/origins.h"
#include "halo/memory/value_roles.h"

namespace halo::view {

enum class PlanKind : uint8_t { kDumped, kPlanned, kPacked };
std::string_view PlanKindText(PlanKind kind);
std::optional<PlanKind> PlanKindFromText(std::string_view text);

struct MemoryPlan {
  MemoryPlan(MemoryAnswer made, const Module* module);

  MemoryAnswer answer;
  const Module* module;  // null if it is unknown or another program's
  Origins origins;
  MemorySlots slots;
  ValueRoles roles;

  [[nodiscard]] const Assignment& assignment() const { return answer.assignment; }
};

// The inputs of a question about memory from documents that are open already and outlive it.
MemoryInputs InputsOf(std::span<const std::shared_ptr<const Document>> documents,
                      const Module* module, std::string_view module_path);

// What went wrong, in one line.
std::string WhyNoAnswer(const MemoryAnswer& answer);

}  // namespace halo::view

#endif  // HALO_VIEW_MEMORY_PLAN_H_
