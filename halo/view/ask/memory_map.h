// An assignment as rectangles: program order on the x axis, addresses on the y axis, one picture
// per memory space. The allocations of a space are stacked, the temporary ones at the bottom.
// Values that replace one another at an address become adjacent rectangles that never overlap.
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
  int64_t begin = 0, end = 0;  // times; the end is exclusive
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
  int64_t held_bytes = 0;                  // allocations live from start to end
  int64_t peak_time = 0;
};

MemoryMap MapMemory(const ShownAssignment& plan, int32_t color, bool temp_only);

// The colors of all allocations, ascending.
std::vector<int32_t> ColorsOf(const Assignment& assignment);

// The name of the group that a value belongs to. A scope is truncated to `depth` parts; 0 keeps
// all.
std::string GroupOf(const ShownAssignment& plan, ValueId value, GroupBy by, int64_t depth);

}  // namespace halo::view

#endif  // HALO_VIEW_ASK_MEMORY_MAP_H_
