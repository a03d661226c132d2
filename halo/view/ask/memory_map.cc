// Computes the position of each rectangle.
#include "halo/view/ask/memory_map.h"

#include <algorithm>
#include <tuple>

#include "halo/memory/explain/value_shape.h"

namespace halo::view {
namespace {

// The value that represents an allocation held throughout: the parameter, or else the one live
// last.
ValueId HolderOf(const Assignment& assignment, const Allocation& allocation) {
  ValueId best;
  for (const ValueId id : assignment.values_of(allocation)) {
    if (allocation.parameter >= 0 && !best.valid()) return id;
    if (!best.valid() || assignment.value(id).live.end > assignment.value(best).live.end) best = id;
  }
  return best;
}

bool IsTemp(const Allocation& allocation) { return KindOf(allocation) == MemoryKind::kTemp; }

// Temporary heaps at the bottom, then allocations that are held throughout; within each kind, the
// largest first.
std::vector<MapAllocation> Stacked(const Assignment& assignment, int32_t color, bool temp_only,
                                   int64_t& height) {
  std::vector<MapAllocation> stack;
  for (size_t i = 0; i < assignment.allocations.size(); ++i) {
    const Allocation& each = assignment.allocations[i];
    const MemoryKind kind = KindOf(each);
    if (each.color != color || each.size <= 0 || kind == MemoryKind::kThreadLocal) continue;
    if (temp_only && kind != MemoryKind::kTemp) continue;
    stack.push_back({AllocationId(i), 0, kind});
  }
  const auto rank = [&](const MapAllocation& each) {
    const Allocation& allocation = assignment.allocation(each.allocation);
    return std::tuple(each.kind != MemoryKind::kTemp, each.kind, -allocation.size, each.allocation);
  };
  std::sort(stack.begin(), stack.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  height = 0;
  for (MapAllocation& each : stack) {
    each.base = height;
    const int64_t size = assignment.allocation(each.allocation).size;
    if (__builtin_add_overflow(height, size, &height)) height = INT64_MAX / 2;
  }
  return stack;
}

}  // namespace

std::vector<int32_t> ColorsOf(const Assignment& assignment) {
  std::vector<int32_t> colors;
  for (const Allocation& each : assignment.allocations) {
    if (!each.is_thread_local) colors.push_back(each.color);
  }
  std::sort(colors.begin(), colors.end());
  colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
  return colors;
}

MemoryMap MapMemory(const ShownAssignment& plan, int32_t color, bool temp_only) {
  const Assignment& assignment = plan.assignment();
  MemoryMap map;
  map.color = color;
  map.last_time = LastTime(assignment);
  map.allocations = Stacked(assignment, color, temp_only, map.height);
  std::vector<int64_t> bases(assignment.allocations.size(), -1);
  for (const MapAllocation& each : map.allocations) bases[each.allocation.index()] = each.base;
  for (const MapAllocation& each : map.allocations) {
    const Allocation& allocation = assignment.allocation(each.allocation);
    if (IsTemp(allocation) && plan.result.explanation.has_times &&
        allocation.is_preallocated_temp) {
      continue;
    }
    map.held_bytes += allocation.size;
    map.rectangles.push_back({0, map.last_time + 1, each.base, allocation.size, each.allocation,
                              HolderOf(assignment, allocation)});
  }
  const auto is_shown = [&](const MemorySlot& slot) {
    return bases[slot.allocation.index()] >= 0 && plan.result.explanation.has_times;
  };
  for (const MemorySlot& slot : plan.slots.slots()) {
    if (!is_shown(slot)) continue;
    plan.slots.ForEachRange(slot, [&](ValueId id, int64_t start, int64_t end, int64_t bytes) {
      const int64_t above = assignment.value(id).size - bytes;
      map.rectangles.push_back({start, end + 1,
                                bases[slot.allocation.index()] + slot.offset + above, bytes,
                                slot.allocation, id});
    });
  }
  std::sort(map.rectangles.begin(), map.rectangles.end(), [](const auto& a, const auto& b) {
    const double x = double(a.size) * double(a.end - a.begin);
    const double y = double(b.size) * double(b.end - b.begin);
    return x != y ? x > y : std::tie(a.offset, a.begin) < std::tie(b.offset, b.begin);
  });
  if (!plan.result.explanation.has_times) return map;
  map.live = LiveBytes(assignment, plan.slots,
                       [&](const MemorySlot& slot, ValueId) { return is_shown(slot); });
  map.peak_time = std::max_element(map.live.begin(), map.live.end()) - map.live.begin();
  return map;
}

std::string GroupOf(const ShownAssignment& plan, ValueId id, GroupBy by, int64_t depth) {
  if (!id.valid()) return "(unknown)";
  const AssignedValue& value = plan.assignment().value(id);
  std::string name;
  switch (by) {
    case GroupBy::kScope: {
      // Every argument is a scope by itself; together they can be told from what is computed.
      if (value.allocation.valid() &&
          plan.assignment().allocation(value.allocation).parameter >= 0) {
        return "(parameters)";
      }
      name = ScopeOf(plan.roles.OriginOf(id).op_name);
      size_t at = 0;
      for (int64_t part = 0; depth > 0 && at < name.size(); ++at) {
        if (name[at] == '/' && ++part == depth) name.resize(at);
      }
      break;
    }
    case GroupBy::kSource: name = SourceText(plan.roles.OriginOf(id)); break;
    case GroupBy::kOpcode: name = plan.roles.OriginOf(id).opcode; break;
    case GroupBy::kDtype: name = ShapeOfValue(plan.bound, id).dtype; break;
    case GroupBy::kShape: {
      const std::string_view shape =
          plan.result.assignment.text(plan.result.assignment.value(id).shape);
      name = shape.substr(0, shape.find('{'));
      break;
    }
    case GroupBy::kRole: name = ValueRoleText(plan.roles.Of(id)); break;
  }
  return name.empty() ? "(unknown)" : name;
}

}  // namespace halo::view
