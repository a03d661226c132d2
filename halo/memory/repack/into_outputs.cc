// Goes through the buffers, the largest first. Each moves into the smallest result that is free for
// its whole live range, at the lowest offset.
#include "halo/memory/repack/into_outputs.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "halo/base/round_up.h"

namespace halo {
namespace {

// Limit on the occupants of results examined, for all buffers together.
constexpr uint64_t kMostLooks = 50'000'000;

struct Occupant {
  LiveRange live;
  int64_t begin = 0, end = 0;
};

struct Target {
  AllocationId allocation;
  int64_t size = 0;
  int32_t color = 0;
  std::vector<Occupant> occupants;
};

bool IsTiled(const Assignment& assignment, const AssignedValue& value) {
  return assignment.text(value.shape).find(":T(") != std::string_view::npos;
}

std::vector<Target> TargetsOf(const Assignment& assignment) {
  std::vector<Target> targets;
  for (size_t i = 0; i < assignment.allocations.size(); ++i) {
    const Allocation& allocation = assignment.allocations[i];
    if (!allocation.maybe_live_out || allocation.parameter >= 0 || allocation.is_constant ||
        allocation.is_thread_local) {
      continue;
    }
    Target target{AllocationId(i), allocation.size, allocation.color, {}};
    bool usable = true;
    for (const ValueId id : assignment.values_of(allocation)) {
      const AssignedValue& value = assignment.value(id);
      const bool is_table = assignment.text(value.shape).starts_with('(');
      usable = usable && value.live.known() && !is_table && !IsTiled(assignment, value);
      target.occupants.push_back({value.live, value.offset, value.offset + value.size});
    }
    if (usable) targets.push_back(std::move(target));
  }
  std::sort(targets.begin(), targets.end(), [](const Target& a, const Target& b) {
    return std::pair(a.size, a.allocation) < std::pair(b.size, b.allocation);
  });
  return targets;
}

// The lowest aligned offset at which `size` bytes are free throughout `live`; -1 if there is none.
int64_t FreeOffset(const Target& target, const PackRange& live, int64_t size, int64_t alignment) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (const Occupant& occupant : target.occupants) {
    if (occupant.live.start > live.end || live.start > occupant.live.end) continue;
    taken.emplace_back(occupant.begin, occupant.end);
  }
  std::sort(taken.begin(), taken.end());
  int64_t offset = 0;
  for (const auto& [begin, end] : taken) {
    if (begin - offset >= size) break;
    offset = std::max(offset, RoundUp(end, alignment));
  }
  return target.size - offset >= size ? offset : -1;
}

// Rebuilds each allocation's list of values from the allocations that the values name.
void ListPlaced(Assignment& assignment) {
  std::vector<ValueId> values;
  for (const Allocation& allocation : assignment.allocations) {
    const std::span<const ValueId> held = assignment.values_of(allocation);
    values.insert(values.end(), held.begin(), held.end());
  }
  std::sort(values.begin(), values.end(), [&](ValueId a, ValueId b) {
    return std::pair(assignment.value(a).allocation, a) <
           std::pair(assignment.value(b).allocation, b);
  });
  assignment.placed = std::move(values);
  size_t next = 0;
  for (size_t i = 0; i < assignment.allocations.size(); ++i) {
    Allocation& allocation = assignment.allocations[i];
    allocation.first = static_cast<uint32_t>(next);
    while (next < assignment.placed.size() &&
           assignment.value(assignment.placed[next]).allocation == AllocationId(i)) {
      ++next;
    }
    allocation.count = static_cast<uint32_t>(next) - allocation.first;
  }
}

}  // namespace

IntoOutputs MoveIntoOutputs(Assignment& assignment, const HeapOptions& options) {
  IntoOutputs moved;
  std::vector<Target> targets = TargetsOf(assignment);
  if (targets.empty()) return moved;
  uint64_t looks = 0;
  for (const AssignmentHeap& heap : HeapsOf(assignment, options)) {
    if (!heap.unusable.empty()) continue;
    const int32_t color = assignment.allocation(heap.allocation).color;
    std::vector<size_t> order(heap.items.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(-heap.problem.items[a].size, a) < std::pair(-heap.problem.items[b].size, b);
    });
    bool has_moved = false;
    for (const size_t i : order) {
      const PackItem& item = heap.problem.items[i];
      const bool is_tiled =
          std::any_of(heap.items[i].begin(), heap.items[i].end(),
                      [&](ValueId id) { return IsTiled(assignment, assignment.value(id)); });
      if (item.size == 0 || is_tiled) continue;
      const int64_t alignment =
          std::max<int64_t>(item.alignment > 0 ? item.alignment : heap.problem.alignment, 1);
      for (Target& target : targets) {
        if (target.color != color || target.size < item.size) continue;
        looks += target.occupants.size() + 1;
        if (looks > kMostLooks) break;
        const int64_t offset = FreeOffset(target, item.live, item.size, alignment);
        if (offset < 0) continue;
        for (const ValueId id : heap.items[i]) {
          AssignedValue& value = assignment.values[id.index()];
          value.offset += offset - heap.offsets[i];
          value.allocation = target.allocation;
        }
        target.occupants.push_back({{item.live.start, item.live.end}, offset, offset + item.size});
        ++moved.buffers;
        moved.bytes += item.size;
        has_moved = true;
        break;
      }
    }
    if (!has_moved) continue;
    int64_t height = 0;
    for (const ValueId id : assignment.values_of(assignment.allocation(heap.allocation))) {
      const AssignedValue& value = assignment.value(id);
      if (value.allocation == heap.allocation) height = std::max(height, value.offset + value.size);
    }
    Allocation& shrunk = assignment.allocations[heap.allocation.index()];
    moved.saved += shrunk.size - height;
    assignment.total_bytes -= shrunk.size - height;
    shrunk.size = height;
  }
  if (moved.buffers > 0) ListPlaced(assignment);
  return moved;
}

}  // namespace halo
