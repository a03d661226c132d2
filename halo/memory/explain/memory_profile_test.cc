// Profiles of small assignments, counted by hand.
#include "halo/memory/explain/memory_profile.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

struct Row {
  int64_t offset, size, start, end;
};

Assignment Make(const std::vector<Row>& rows, int64_t end) {
  Assignment assignment;
  Allocation allocation;
  allocation.is_preallocated_temp = true;
  allocation.count = static_cast<uint32_t>(rows.size());
  for (const Row& row : rows) {
    AssignedValue value;
    value.instruction = assignment.Text("v" + std::to_string(assignment.values.size()));
    value.shape = assignment.Text("f32[4]{0}");
    value.allocation = AllocationId(size_t{0});
    value.offset = row.offset;
    value.size = row.size;
    value.live = {row.start, row.end};
    assignment.placed.emplace_back(assignment.values.size());
    assignment.values.push_back(value);
    allocation.size = std::max(allocation.size, row.offset + row.size);
  }
  assignment.allocations.push_back(allocation);
  assignment.schedule_end = end;
  for (int64_t i = 0; i < end; ++i) {
    assignment.sequence.push_back(assignment.Text("t" + std::to_string(i)));
  }
  return assignment;
}

std::vector<int64_t> Profile(const Assignment& assignment) {
  const MemorySlots slots(assignment);
  return LiveBytes(assignment, slots, [](const MemorySlot&, ValueId) { return true; });
}

TEST(MemoryProfile, AddsSeparateRanges) {
  EXPECT_EQ(Profile(Make({{0, 8, 0, 2}, {8, 4, 1, 3}}, 4)),
            (std::vector<int64_t>{8, 12, 12, 4, 0}));
}

TEST(MemoryProfile, CountsASharedPositionOnce) {
  // The second value takes over at time 2; the third is larger while both are live.
  EXPECT_EQ(Profile(Make({{0, 8, 0, 2}, {0, 8, 2, 3}, {0, 16, 3, 4}}, 5)),
            (std::vector<int64_t>{8, 8, 8, 16, 16, 0}));
}

TEST(MemoryProfile, DoesNotTrustAHugeSchedule) {
  Assignment assignment = Make({{0, 8, 0, 2}}, 3);
  assignment.schedule_end = INT64_MAX;
  EXPECT_EQ(LastTime(assignment), 3);
  EXPECT_EQ(Profile(assignment).size(), 4U);
}

TEST(MemoryProfile, LiveBytesAtCountsByColor) {
  const Assignment assignment = Make({{0, 8, 0, 2}, {0, 8, 2, 3}, {8, 4, 1, 3}}, 4);
  EXPECT_EQ(LiveBytesAt(BoundAssignment(assignment, nullptr), 2, 0), 12);
  EXPECT_EQ(LiveBytesAt(BoundAssignment(assignment, nullptr), 2, 1), 0);
}

}  // namespace
}  // namespace halo
