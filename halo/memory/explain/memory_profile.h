// How much memory is in use at each time: what XLA holds from start to end (parameters, results,
// constants), and the bytes of temporary allocations whose values are live. Values that share
// memory count once.
#ifndef HALO_MEMORY_EXPLAIN_MEMORY_PROFILE_H_
#define HALO_MEMORY_EXPLAIN_MEMORY_PROFILE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "halo/memory/bind/bound_assignment.h"
#include "halo/memory/model/assignment.h"

namespace halo {

// The last time of the schedule, as far as the dump's own figure is plausible.
int64_t LastTime(const Assignment& assignment);

// Values at one offset of a temporary allocation, one after the other, ordered by start.
struct MemorySlot {
  AllocationId allocation;
  int64_t offset = 0;
  uint32_t first = 0, count = 0;  // rows of MemorySlots::values
};

class MemorySlots {
 public:
  explicit MemorySlots(const Assignment& assignment);

  [[nodiscard]] const std::vector<MemorySlot>& slots() const { return slots_; }
  [[nodiscard]] std::span<const ValueId> values(const MemorySlot& slot) const {
    return {values_.data() + slot.first, slot.count};
  }
  // The value in the slot at a time, the later one if one gives way to another; invalid if there is
  // none.
  [[nodiscard]] ValueId At(const MemorySlot& slot, int64_t time) const;

  // Calls visit(value, first time, last time, bytes) so that the visits of a slot at one time add
  // up to the bytes in use there.
  void ForEachRange(const MemorySlot& slot,
                    const std::function<void(ValueId, int64_t, int64_t, int64_t)>& visit) const;

 private:
  const Assignment& assignment_;
  std::vector<MemorySlot> slots_;
  std::vector<ValueId> values_;
};

// Bytes in use over times 0 to LastTime of the temporary allocations that `counts` accepts.
std::vector<int64_t> LiveBytes(const Assignment& assignment, const MemorySlots& slots,
                               const std::function<bool(const MemorySlot&, ValueId)>& counts);

// Bytes of all values live at a time by their own live ranges, whatever allocation they are in.
// Values that share memory count once; tuple tables do not count.
int64_t LiveBytesAt(const BoundAssignment& bound, int64_t time, int32_t color);

}  // namespace halo

#endif  // HALO_MEMORY_EXPLAIN_MEMORY_PROFILE_H_
