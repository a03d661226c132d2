// What is in memory at one time, item by item and in groups, with the cause that keeps it there.
#ifndef HALO_MEMORY_EXPLAIN_EXPLAIN_ITEMS_H_
#define HALO_MEMORY_EXPLAIN_EXPLAIN_ITEMS_H_

#include <vector>

#include "halo/memory/explain/explain.h"
#include "halo/memory/explain/memory_profile.h"
#include "halo/memory/explain/origins.h"
#include "halo/memory/explain/value_roles.h"

namespace halo {

// Largest first. Without live ranges: what is held throughout, and whole temporary allocations.
std::vector<LiveItem> ItemsAt(const BoundAssignment& bound, const MemorySlots& slots,
                              const ValueRoles& roles, const Origins& origins,
                              std::optional<Backend> backend, int64_t time);

std::vector<LiveGroup> GroupItems(const std::vector<LiveItem>& items, GroupBy by);

}  // namespace halo

#endif  // HALO_MEMORY_EXPLAIN_EXPLAIN_ITEMS_H_
