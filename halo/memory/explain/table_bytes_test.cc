// The bytes that tuple tables keep for themselves, in heaps of 4096 bytes on CPU, where offsets are
// multiples of 64.
#include <gtest/gtest.h>

#include "halo/memory/explain/explain.h"
#include "halo/memory/explain/origins.h"

namespace halo {
namespace {

struct Piece {
  int64_t offset, size;
  bool is_table;
};

int64_t TableBytesOf(const std::vector<Piece>& pieces) {
  Assignment assignment;
  Allocation heap;
  heap.size = 4096;
  heap.is_preallocated_temp = true;
  heap.count = static_cast<uint32_t>(pieces.size());
  for (const Piece& piece : pieces) {
    AssignedValue value;
    value.instruction = assignment.Text("v" + std::to_string(assignment.values.size()));
    value.shape = assignment.Text(piece.is_table ? "(f32[4]{0})" : "f32[4]{0}");
    value.allocation = AllocationId(size_t{0});
    value.offset = piece.offset;
    value.size = piece.size;
    assignment.placed.emplace_back(assignment.values.size());
    assignment.values.push_back(value);
  }
  assignment.allocations.push_back(heap);
  const BoundAssignment bound(assignment, nullptr);
  const Result<MemoryExplanation> all = ExplainMemory(bound, Origins(bound), Backend::kCpu, {});
  EXPECT_TRUE(all.ok());
  return all->table_bytes;
}

TEST(TableBytes, ATableAndItsPadding) {
  EXPECT_EQ(TableBytesOf({{0, 16, true}, {64, 2048, false}}), 64);
  EXPECT_EQ(TableBytesOf({{0, 16, true}, {32, 2048, false}}), 32);
  EXPECT_EQ(TableBytesOf({{0, 2048, false}}), 0);
}

TEST(TableBytes, NotWhatIsFreeAfterIt) {
  EXPECT_EQ(TableBytesOf({{0, 16, true}, {2048, 64, false}}), 64);
  EXPECT_EQ(TableBytesOf({{4080, 16, true}}), 16);
}

TEST(TableBytes, NotWhatArraysUseAtOtherTimes) {
  EXPECT_EQ(TableBytesOf({{0, 4096, false}, {1024, 16, true}}), 0);
  EXPECT_EQ(TableBytesOf({{0, 1040, false}, {1024, 16, true}}), 48);
  EXPECT_EQ(TableBytesOf({{0, 64, false}, {0, 16, true}}), 0);
}

TEST(TableBytes, OffsetsFarOutDoNotOverflow) {
  EXPECT_EQ(TableBytesOf({{INT64_MAX - 8, 16, true}}), 0);
}

}  // namespace
}  // namespace halo
