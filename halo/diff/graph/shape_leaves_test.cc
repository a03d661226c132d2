// Leaves and nodes of nested tuples, against counting them one by one.
#include "halo/diff/graph/shape_leaves.h"

#include <vector>

#include <gtest/gtest.h>

#include "halo/text/read/read_text.h"

namespace halo {
namespace {

TEST(ShapeLeaves, NodesInPreOrder) {
  const TextReadResult read = ReadHloText(
      "HloModule m\nENTRY e {\n ROOT p = (f32[2], (), ((s32[], ()), (f32[3], (pred[], u8[4]))), "
      "token[]) parameter(0)\n}\n");
  ASSERT_TRUE(read.diagnostics.ok());
  const Module& module = read.module;
  const ShapeId shape = module.inst(module.comp(module.entry).root).shape;
  ShapeLeaves leaves(module.shapes);
  // Tuples have no number.
  const std::vector<int> expected = {-1, 0, -1, -1, -1, 1, -1, -1, 2, -1, 3, 4, 5};
  for (size_t node = 0; node < expected.size(); ++node) {
    const auto leaf = leaves.LeafAtNode(shape, static_cast<uint32_t>(node));
    EXPECT_EQ(leaf ? static_cast<int>(*leaf) : -1, expected[node]) << node;
  }
  EXPECT_FALSE(leaves.LeafAtNode(shape, 13));
  EXPECT_EQ(leaves.Count(shape), 6U);
  const std::vector<size_t> elements = {0, 2, 2, 2, 2, 3};
  for (uint32_t leaf = 0; leaf < elements.size(); ++leaf) {
    EXPECT_EQ(leaves.ElementOf(shape, leaf), elements[leaf]) << leaf;
  }
  EXPECT_EQ(leaves.ElementOf(shape, 6), 4U);
}

}  // namespace
}  // namespace halo
