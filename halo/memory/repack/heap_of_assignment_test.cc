// Heaps of assignments: what stays together, what may move, and what is written back.
#include "halo/memory/repack/heap_of_assignment.h"

#include <string>

#include <gtest/gtest.h>

namespace halo {
namespace {

class HeapTest : public testing::Test {
 protected:
  ValueId Add(int64_t offset, int64_t size, LiveRange live, bool is_phi = false) {
    AssignedValue value;
    value.id = static_cast<int64_t>(assignment_.values.size());
    value.instruction = assignment_.Text("v" + std::to_string(value.id));
    value.allocation = AllocationId(0U);
    value.offset = offset;
    value.size = size;
    value.live = live;
    value.is_phi = is_phi;
    const ValueId id(static_cast<uint32_t>(assignment_.values.size()));
    assignment_.values.push_back(value);
    assignment_.placed.push_back(id);
    return id;
  }
  void Close(int64_t size) {
    Allocation allocation;
    allocation.size = size;
    allocation.is_preallocated_temp = true;
    allocation.count = static_cast<uint32_t>(assignment_.placed.size());
    assignment_.allocations.push_back(allocation);
    assignment_.total_bytes = size + 1000;
  }

  Assignment assignment_;
};

TEST_F(HeapTest, PacksWhatWasApart) {
  Add(0, 256, {0, 3});
  Add(256, 256, {4, 6});
  Close(512);
  const RepackResult packed = RepackAssignment(assignment_);
  ASSERT_EQ(packed.heaps.size(), 1);
  EXPECT_EQ(packed.heaps[0].alignment, 256);
  EXPECT_EQ(packed.heaps[0].old_height, 512);
  EXPECT_EQ(packed.heaps[0].new_height, 256);
  EXPECT_TRUE(packed.heaps[0].optimal());
  EXPECT_EQ(packed.assignment.allocations[0].size, 256);
  EXPECT_EQ(packed.assignment.total_bytes, 1256);
  EXPECT_EQ(packed.assignment.values[1].offset, 0);
}

TEST_F(HeapTest, SharedBytesStayShared) {
  // The second value takes over the first's memory at time 3; the third is part of the second.
  Add(512, 256, {0, 3});
  Add(512, 256, {3, 6});
  Add(640, 128, {5, 6});
  Add(0, 512, {8, 9});
  Close(768);
  const RepackResult packed = RepackAssignment(assignment_);
  const std::vector<AssignedValue>& values = packed.assignment.values;
  EXPECT_EQ(packed.heaps[0].items, 2);
  EXPECT_EQ(packed.heaps[0].new_height, 512);
  EXPECT_EQ(values[0].offset, values[1].offset);
  EXPECT_EQ(values[2].offset, values[1].offset + 128);
}

TEST_F(HeapTest, APhiKeepsWhatItMerges) {
  Add(0, 64, {0, 2});
  Add(0, 64, {4, 5});
  Add(0, 64, {8, 9}, true);
  Add(0, 32, {6, 7});
  Close(64);
  const std::vector<AssignmentHeap> heaps = HeapsOf(assignment_);
  ASSERT_EQ(heaps[0].items.size(), 2);
  EXPECT_EQ(heaps[0].problem.items[0].gap_count, 2);
  EXPECT_EQ(heaps[0].problem.gaps[0].start, 3);
  EXPECT_EQ(heaps[0].problem.gaps[1].end, 7);
}

TEST_F(HeapTest, BuffersCanBeGiven) {
  Add(0, 64, {0, 2});
  Add(0, 64, {4, 5});
  Add(64, 64, {0, 1});
  Close(128);
  const std::vector<uint32_t> buffers = {7, 7, 3};
  EXPECT_EQ(HeapsOf(assignment_)[0].items.size(), 3);
  EXPECT_EQ(HeapsOf(assignment_, {.buffers = buffers})[0].items.size(), 2);
}

TEST_F(HeapTest, WhatCannotBePackedStays) {
  Add(0, 64, {});
  Close(64);
  const RepackResult packed = RepackAssignment(assignment_);
  EXPECT_EQ(packed.heaps[0].unusable, "a value has no live range");
  EXPECT_EQ(packed.assignment.allocations[0].size, 64);
}

TEST_F(HeapTest, OffsetsThatAreNotAlignedAsAsked) {
  Add(0, 64, {0, 1});
  Add(64, 64, {0, 1});
  Close(128);
  EXPECT_EQ(HeapsOf(assignment_, {.alignment = 64})[0].unusable, "");
  EXPECT_NE(HeapsOf(assignment_, {.alignment = 128})[0].unusable, "");
}

TEST_F(HeapTest, NeverWorseThanBefore) {
  Add(0, 4, {0, 1});
  Add(4, 4, {0, 1});
  Close(8);
  const RepackResult packed = RepackAssignment(assignment_);
  EXPECT_EQ(packed.heaps[0].new_height, 8);
  EXPECT_EQ(packed.assignment.values[1].offset, 4);
}

}  // namespace
}  // namespace halo
