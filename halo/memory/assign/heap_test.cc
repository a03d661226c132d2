// XLA's placement on cases small enough to work out by hand.
#include "halo/memory/assign/heap.h"

#include <gtest/gtest.h>

#include "halo/memory/assign/free_space.h"

namespace halo {
namespace {

TEST(XlaHeapTest, TheSmallestGapThatFitsIsTaken) {
  Heap heap;
  const uint32_t low = heap.Take(64, 0);
  const uint32_t large = heap.Take(256, 1);
  const uint32_t top = heap.Take(64, 2);
  heap.GiveBack(large);
  const uint32_t later = heap.Take(128, 3);
  for (const uint32_t interval : {low, top, later}) heap.GiveBack(interval);
  const Heap::Placement placed = heap.Place(Heap::Order::kSpatial, 64);
  EXPECT_EQ(placed.offsets[large], 0);
  EXPECT_EQ(placed.offsets[later], 0);  // where the large one was
  EXPECT_EQ(placed.offsets[low], 256);
  EXPECT_EQ(placed.offsets[top], 320);
  EXPECT_EQ(placed.size, 384);
}

TEST(XlaHeapTest, WhatSharesStaysTogether) {
  Heap heap;
  const uint32_t first = heap.Take(100, 0);
  heap.GiveBack(first);
  const uint32_t second = heap.Share(first, 100, 1);
  const uint32_t other = heap.Take(100, 2);
  heap.GiveBack(second);
  heap.GiveBack(other);
  const Heap::Placement placed = heap.PlaceBest(64);
  EXPECT_EQ(placed.offsets[first], placed.offsets[second]);
  EXPECT_NE(placed.offsets[other], placed.offsets[second]);
  EXPECT_EQ(placed.size, 228);  // 100 rounded up to 128, and 100
}

TEST(XlaHeapTest, NothingTakesNoMemory) {
  Heap heap;
  const uint32_t nothing = heap.Take(0, 0);
  heap.GiveBack(nothing);
  EXPECT_EQ(heap.PlaceBest(64).size, 0);
}

TEST(FreeSpaceTest, WhatIsGivenBackJoinsItsNeighbours) {
  FreeSpace space(64);
  const FreeSpace::Piece a = space.Find(100);
  space.Take(a);
  const FreeSpace::Piece b = space.Find(100);
  space.Take(b);
  EXPECT_EQ(a.offset, 0);
  EXPECT_EQ(b.offset, 128);
  space.GiveBack(a);
  EXPECT_EQ(space.Find(200).offset, 256);
  space.GiveBack(b);
  EXPECT_EQ(space.Find(200).offset, 0);
}

}  // namespace
}  // namespace halo
