// An assignment as rectangles: program order across, addresses upward, one picture per memory
// space. Allocations of a space are stacked, the temporary ones lowest; values that give way to one
// another at a place become rectangles side by side, never over each other.
#ifndef HALO_VIEW_ASK_MEMORY_MAP_H_
#define HALO_VIEW_ASK_MEMORY_MAP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/view/model/shown_assignment.h"

namespace halo::view {

struct MapAllocation {
  AllocationId allocation;
  int64_t base = 0;
  MemoryKind kind = MemoryKind::kTemp;
};

struct MapRectangle {
  int64_t begin = 0, end = 0;  // times, the end excluded
  int64_t offset = 0, size = 0;
  AllocationId allocation;
  ValueId value;
};

struct MemoryMap {
  int32_t color = 0;
  int64_t height = 0;
  int64_t last_time = 0;
  std::vector<MapAllocation> allocations;  // bottom to top
  std::vector<MapRectangle> rectangles;    // largest area first
  std::vector<int64_t> live;               // temporary bytes at each time
  int64_t held_bytes = 0;                  // by what is there from start to end
  int64_t peak_time = 0;
};

MemoryMap MapMemory(const ShownAssignment& plan, int32_t color, bool temp_only);

// Colors that allocations have, ascending.
std::vector<int32_t> ColorsOf(const Assignment& assignment);

// The name of the group that a value belongs to; a scope is cut to `depth` parts, 0 for all.
std::string GroupOf(const ShownAssignment& plan, ValueId value, GroupBy by, int64_t depth);

}  // namespace halo::view

#endif  // HALO_VIEW_ASK_MEMORY_MAP_H_
