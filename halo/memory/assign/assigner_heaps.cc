// The heaps: one per color, filled by replaying the flattened schedule, and merged with the other
// temporary allocations in the end.
#include <algorithm>
#include <map>
#include <tuple>

#include "halo/base/round_up.h"
#include "halo/memory/assign/assigner.h"
#include "halo/memory/assign/heap.h"
#include "halo/memory/backend/memory_spaces.h"

namespace halo {

void Assigner::AssignHeaps() {
  std::map<int64_t, std::vector<FlowId>> by_color;
  for (const FlowId value : delayed_) by_color[problem_.value(value).color].push_back(value);
  // A color that may use another's gaps comes after it.
  std::vector<int64_t> order;
  for (const auto& entry : by_color) order.push_back(entry.first);
  const int64_t lender = rules_.fills_gaps_of;
  if (lender >= 0) {
    std::sort(order.begin(), order.end(), [lender](int64_t a, int64_t b) {
      const bool a_uses_b = a == kMainSpace && b == lender;
      const bool b_uses_a = b == kMainSpace && a == lender;
      return a_uses_b != b_uses_a ? b_uses_a : a < b;
    });
  }
  for (const int64_t color : order) {
    std::vector<FlowId>& values = by_color[color];
    if (lender >= 0 && color == kMainSpace) FillGaps(lender, values);
    if (!values.empty()) AssignHeap(color, values);
  }
}

void Assigner::AssignHeap(int64_t color, const std::vector<FlowId>& values) {
  const auto times = static_cast<size_t>(problem_.end) + 1;
  std::vector<FlowId> by_start = values;
  std::erase_if(by_start, [&](FlowId value) { return !RangeOf(value).known(); });
  std::sort(by_start.begin(), by_start.end(), [&](FlowId a, FlowId b) {
    const TimeSpan x = RangeOf(a), y = RangeOf(b);
    return std::tuple(x.start, x.end, a) < std::tuple(y.start, y.end, b);
  });
  std::vector<std::vector<FlowId>> freed(times);
  for (const FlowId value : by_start) {
    freed[static_cast<size_t>(RangeOf(value).end)].push_back(value);
  }

  constexpr uint32_t kNone = UINT32_MAX;
  Heap heap;
  std::vector<uint32_t> interval(problem_.values.size(), kNone);
  std::vector<uint32_t> first_of_buffer(problem_.buffers.size(), kNone);
  std::vector<bool> is_taken(problem_.values.size(), false);  // its offset passed to another value
  size_t next = 0;
  for (size_t time = 0; time < times; ++time) {
    for (; next < by_start.size() && RangeOf(by_start[next]).start == static_cast<int64_t>(time);
         ++next) {
      const FlowId value = by_start[next];
      const BufferId buffer = problem_.value(value).buffer;
      const int64_t size = SizeOf(buffer);
      uint32_t& first = first_of_buffer[buffer.index()];
      if (first != kNone) {
        interval[value.index()] = heap.Share(first, size, value.value);
        continue;
      }
      // A value alone in its buffer may take over the offset of an operand whose live range ends
      // here.
      const FlowId taken =
          ValuesOf(buffer).size() == 1 ? DyingOperand(value, interval, is_taken) : FlowId();
      if (taken.valid()) {
        is_taken[taken.index()] = true;
        heap.GiveBack(interval[taken.index()]);
        interval[value.index()] = heap.Share(interval[taken.index()], size, value.value);
      } else {
        interval[value.index()] = heap.Take(size, value.value);
        first = interval[value.index()];
      }
    }
    for (const FlowId value : freed[time]) heap.GiveBack(interval[value.index()]);
  }
  const int64_t alignment = AlignmentOf(rules_, color);
  const Heap::Placement placement = rules_.assigns_by_time && color == kMainSpace
                                        ? heap.PlaceByTime(alignment)
                                        : heap.PlaceBest(alignment);
  const uint32_t allocation = NewAllocation(placement.size, color);
  for (const FlowId value : by_start) {
    const uint32_t number = interval[value.index()];
    PutValue(allocation, value, placement.offsets[number], placement.sizes[number]);
  }
}

FlowId Assigner::DyingOperand(FlowId value, const std::vector<uint32_t>& interval,
                              const std::vector<bool>& is_taken) const {
  // Each of many results would go through all of many operands.
  if (problem_.NeverReplaces(value)) return {};
  std::vector<FlowId> operands;
  problem_.OperandsOf(value, operands);
  for (const FlowId operand : operands) {
    if (!operand.valid() || interval[operand.index()] == UINT32_MAX) continue;
    if (ValuesOf(problem_.value(operand).buffer).size() > 1) continue;
    if (RangeOf(operand).end != RangeOf(value).start || is_taken[operand.index()]) continue;
    if (problem_.MayReplace(value, operand)) return operand;
  }
  return {};
}

void Assigner::FillGaps(int64_t lender, std::vector<FlowId>& values) {
  std::vector<uint32_t> targets;
  for (uint32_t i = 0; i < allocations_.size(); ++i) {
    if (allocations_[i].color == lender && allocations_[i].is_temp()) targets.push_back(i);
  }
  if (targets.empty()) return;
  std::vector<BufferId> candidates;
  for (const FlowId value : values) candidates.push_back(problem_.value(value).buffer);
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::sort(candidates.begin(), candidates.end(), [&](BufferId a, BufferId b) {
    return std::tuple(-SizeOf(a), a) < std::tuple(-SizeOf(b), b);
  });
  const auto live_together = [&](BufferId buffer, FlowId other) {
    const TimeSpan y = RangeOf(other);
    for (const FlowId value : ValuesOf(buffer)) {
      const TimeSpan x = RangeOf(value);
      if (!(x.start > y.end || y.start > x.end)) return true;
    }
    return false;
  };
  for (const BufferId buffer : candidates) {
    const int64_t size = SizeOf(buffer);
    for (const uint32_t target : targets) {
      const PlannedAllocation& allocation = allocations_[target];
      if (size > allocation.size) continue;
      std::vector<std::pair<int64_t, int64_t>> blocked;
      for (const PlannedAllocation::Placed& placed : allocation.values) {
        if (live_together(buffer, placed.value)) blocked.emplace_back(placed.offset, placed.size);
      }
      std::sort(blocked.begin(), blocked.end());
      blocked.emplace_back(allocation.size, 0);
      int64_t best = -1, best_slack = 0, free_from = 0;
      for (const auto& [offset, length] : blocked) {
        const int64_t at = RoundUp(free_from, AlignmentOf(rules_, allocation.color));
        const int64_t slack = offset - (at + size);
        if (slack >= 0 && (best < 0 || slack < best_slack)) {
          best = at;
          best_slack = slack;
        }
        free_from = std::max(free_from, offset + length);
      }
      if (best < 0) continue;
      for (const FlowId value : ValuesOf(buffer)) {
        PutValue(target, value, best, size);
      }
      break;
    }
  }
  std::erase_if(values, [&](FlowId value) { return allocation_of_[value.index()] != kNowhere; });
}

void Assigner::JoinTemps() {
  // Temporary allocations are swapped to the end, which decides the final numbers.
  size_t first = 0, last = allocations_.size();
  while (true) {
    while (first < last && !allocations_[first].is_temp()) ++first;
    while (first < last && allocations_[last - 1].is_temp()) --last;
    if (first == last) break;
    std::swap(allocations_[first], allocations_[last - 1]);
    ++first;
    --last;
  }
  std::vector<PlannedAllocation> joined;
  std::map<int64_t, size_t> by_color;
  for (size_t i = first; i < allocations_.size(); ++i) {
    PlannedAllocation& allocation = allocations_[i];
    const auto [entry, is_new] = by_color.try_emplace(allocation.color, joined.size());
    if (is_new) {
      joined.push_back(std::move(allocation));
      continue;
    }
    PlannedAllocation& into = joined[entry->second];
    const int64_t base = RoundUp(into.size, AlignmentOf(rules_, allocation.color));
    into.size = base + allocation.size;
    for (const PlannedAllocation::Placed& placed : allocation.values) {
      into.values.push_back({placed.value, base + placed.offset, placed.size});
    }
  }
  allocations_.resize(first);
  for (PlannedAllocation& allocation : joined) allocations_.push_back(std::move(allocation));
  for (uint32_t i = 0; i < allocations_.size(); ++i) {
    for (const PlannedAllocation::Placed& placed : allocations_[i].values)
      allocation_of_[placed.value.index()] = i;
  }
}

}  // namespace halo
