// Nested tuples, and tuples with more leaves than could be listed.
#include "halo/semantics/facts/tuple_leaves.h"

#include <array>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(TupleLeavesTest, NestedTuples) {
  ShapeTable shapes;
  const ShapeId array = shapes.Array(ElementType::kF32, std::array<int64_t, 1>{8});
  const ShapeId pair = shapes.Tuple(std::array{array, array});
  const ShapeId empty = shapes.Tuple({});
  const ShapeId whole = shapes.Tuple(std::array{array, pair, empty, array});
  TupleLeaves leaves(shapes);
  EXPECT_EQ(leaves.CountOf(array), 1U);
  EXPECT_EQ(leaves.CountOf(empty), 0U);
  EXPECT_EQ(leaves.CountOf(whole), 4U);
  EXPECT_EQ(leaves.Before(whole, 0), 0U);
  EXPECT_EQ(leaves.Before(whole, 1), 1U);
  EXPECT_EQ(leaves.Before(whole, 2), 3U);
  EXPECT_EQ(leaves.Before(whole, 3), 3U);
}

// A tuple of tuples that doubles at every level has more leaves than fit into memory.
TEST(TupleLeavesTest, DoublingIsCapped) {
  ShapeTable shapes;
  ShapeId shape = shapes.Array(ElementType::kF32, std::array<int64_t, 1>{8});
  for (int i = 0; i < 60; ++i) shape = shapes.Tuple(std::array{shape, shape});
  TupleLeaves leaves(shapes);
  EXPECT_EQ(leaves.CountOf(shape), TupleLeaves::kMost + 1);
}

}  // namespace
}  // namespace halo
