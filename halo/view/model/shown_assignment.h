// A buffer assignment as the viewer shows it: the dump's own, the one that halo plans, or the
// smaller of these with its heaps repacked. Includes explanations, and is ready for requests about
// its values.
#ifndef HALO_VIEW_MODEL_SHOWN_ASSIGNMENT_H_
#define HALO_VIEW_MODEL_SHOWN_ASSIGNMENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "halo/api/memory/memory.h"
#include "halo/memory/bind/bound_assignment.h"
#include "halo/memory/explain/memory_profile.h"
#include "halo/memory/explain/origins.h"
#include "halo/memory/explain/value_roles.h"

namespace halo::view {

enum class AssignmentSource : uint8_t { kDumped, kPlanned, kPacked };
std::optional<AssignmentSource> AssignmentSourceFromText(std::string_view text);

struct ShownAssignment {
  ShownAssignment(MemoryResult made, const Module* module);
  // Parts refer to each other.
  ShownAssignment(const ShownAssignment&) = delete;
  ShownAssignment& operator=(const ShownAssignment&) = delete;

  MemoryResult result;
  const Module* module;  // null if unknown or of another program
  BoundAssignment bound;
  Origins origins;
  MemorySlots slots;
  ValueRoles roles;

  [[nodiscard]] const Assignment& assignment() const { return result.assignment; }
};

// The inputs of a memory request, from documents that are already open and outlive it.
MemoryInputs InputsOf(std::span<const std::shared_ptr<const Document>> documents,
                      const Module* module, std::string_view module_path);

// Describes the failure in one line.
std::string WhyNoResult(const MemoryResult& result);

}  // namespace halo::view

#endif  // HALO_VIEW_MODEL_SHOWN_ASSIGNMENT_H_
