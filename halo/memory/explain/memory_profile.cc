// Prefix sums: each range adds its bytes where it begins and subtracts them where it ends.
#include "halo/memory/explain/memory_profile.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "halo/memory/explain/value_shape.h"

namespace halo {

int64_t LastTime(const Assignment& assignment) {
  constexpr int64_t kUnlisted = int64_t{1} << 22;  // if the dump lists no sequence
  const int64_t listed =
      assignment.sequence.empty() ? kUnlisted : static_cast<int64_t>(assignment.sequence.size());
  return std::clamp<int64_t>(assignment.schedule_end, 0, listed);
}

MemorySlots::MemorySlots(const Assignment& assignment) : assignment_(assignment) {
  for (size_t i = 0; i < assignment.allocations.size(); ++i) {
    const Allocation& allocation = assignment.allocations[i];
    if (!allocation.is_preallocated_temp) continue;
    const size_t begin = values_.size();
    for (const ValueId id : assignment.values_of(allocation)) {
      const AssignedValue& value = assignment.value(id);
      if (value.live.known() && value.size > 0) values_.push_back(id);
    }
    std::sort(values_.begin() + static_cast<ptrdiff_t>(begin), values_.end(),
              [&](ValueId a, ValueId b) {
                const AssignedValue& x = assignment.value(a);
                const AssignedValue& y = assignment.value(b);
                return std::tuple(x.offset, x.live.start, x.live.end, a) <
                       std::tuple(y.offset, y.live.start, y.live.end, b);
              });
    for (size_t at = begin; at < values_.size(); ++at) {
      const int64_t offset = assignment.value(values_[at]).offset;
      if (at == begin || offset != slots_.back().offset) {
        slots_.push_back({AllocationId(i), offset, static_cast<uint32_t>(at), 0});
      }
      ++slots_.back().count;
    }
  }
}

ValueId MemorySlots::At(const MemorySlot& slot, int64_t time) const {
  ValueId found;
  for (const ValueId id : values(slot)) {
    const LiveRange live = assignment_.value(id).live;
    if (live.start > time) break;
    if (live.end >= time) found = id;
  }
  return found;
}

void MemorySlots::ForEachRange(
    const MemorySlot& slot,
    const std::function<void(ValueId, int64_t, int64_t, int64_t)>& visit) const {
  int64_t covered = -1;  // times up to here are covered, by `size` bytes
  int64_t size = 0;
  const int64_t last = LastTime(assignment_);
  for (const ValueId id : values(slot)) {
    const AssignedValue& value = assignment_.value(id);
    const int64_t end = std::min(value.live.end, last);
    if (value.live.start <= covered && value.size > size) {
      visit(id, value.live.start, std::min(covered, end), value.size - size);
    }
    if (end <= covered) continue;
    const int64_t start = std::max(value.live.start, covered + 1);
    if (start <= end) visit(id, start, end, value.size);
    covered = end;
    size = value.size;
  }
}

std::vector<int64_t> LiveBytes(const Assignment& assignment, const MemorySlots& slots,
                               const std::function<bool(const MemorySlot&, ValueId)>& counts) {
  const auto times = static_cast<size_t>(LastTime(assignment)) + 1;
  std::vector<int64_t> bytes(times + 1, 0);
  for (const MemorySlot& slot : slots.slots()) {
    slots.ForEachRange(slot, [&](ValueId id, int64_t start, int64_t end, int64_t size) {
      if (!counts(slot, id)) return;
      bytes[static_cast<size_t>(start)] += size;
      bytes[static_cast<size_t>(end) + 1] -= size;
    });
  }
  for (size_t i = 1; i < bytes.size(); ++i) bytes[i] += bytes[i - 1];
  bytes.pop_back();
  return bytes;
}

int64_t LiveBytesAt(const BoundAssignment& bound, int64_t time, int32_t color) {
  const Assignment& assignment = bound.assignment();
  std::map<std::pair<AllocationId, int64_t>, int64_t> live;
  for (size_t i = 0; i < assignment.values.size(); ++i) {
    const AssignedValue& value = assignment.values[i];
    if (!value.allocation.valid() || !value.live.known() || time < value.live.start ||
        time > value.live.end || assignment.allocation(value.allocation).color != color ||
        IsTupleValue(bound, ValueId(i))) {
      continue;
    }
    int64_t& bytes = live[{value.allocation, value.offset}];
    bytes = std::max(bytes, value.size);
  }
  int64_t total = 0;
  for (const auto& entry : live) total += entry.second;
  return total;
}

}  // namespace halo
