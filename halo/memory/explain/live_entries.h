// What is in memory at one time, item by item and in groups, with the cause that keeps it there.
#ifndef HALO_MEMORY_EXPLAIN_LIVE_ENTRIES_H_
#define HALO_MEMORY_EXPLAIN_LIVE_ENTRIES_H_

#include <string_view>
#include <vector>

#include "halo/memory/explain/explain.h"
#include "halo/memory/explain/memory_profile.h"
#include "halo/memory/explain/origins.h"
#include "halo/memory/explain/value_roles.h"

namespace halo {

// Largest first. Without live ranges: what is held throughout, and whole temporary allocations.
std::vector<LiveEntry> EntriesAt(const BoundAssignment& bound, const MemorySlots& slots,
                                 const ValueRoles& roles, const Origins& origins,
                                 std::optional<Backend> backend, int64_t time);

// The name of the group of entries that have none.
inline constexpr std::string_view kUnknownGroup = "(unknown)";

std::vector<LiveGroup> GroupEntries(const std::vector<LiveEntry>& items, GroupBy by);

}  // namespace halo

#endif  // HALO_MEMORY_EXPLAIN_LIVE_ENTRIES_H_
