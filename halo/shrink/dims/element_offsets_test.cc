// Tests where elements begin, nested ones too, and which paths lead nowhere.
#include "halo/shrink/dims/element_offsets.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(ElementOffsets, AddUpTheElementsBefore) {
  ShapeTable shapes;
  const ShapeId a = shapes.Array(ElementType::kF32, std::vector<int64_t>{2});
  const ShapeId b = shapes.Array(ElementType::kF32, std::vector<int64_t>{3, 4, 5});
  const ShapeId inner = shapes.Tuple(std::vector<ShapeId>{a, b});
  const ShapeId outer = shapes.Tuple(std::vector<ShapeId>{b, inner, a});
  std::vector<uint32_t> counts(shapes.size());
  counts[a.index()] = 1;
  counts[b.index()] = 3;
  counts[inner.index()] = 4;
  counts[outer.index()] = 8;
  ElementOffsets offsets;
  offsets.Build(shapes, counts);
  const auto first = [&](std::vector<int64_t> path) -> int64_t {
    const auto part = offsets.Find(shapes, outer, path);
    return part ? static_cast<int64_t>(part->first) : -1;
  };
  EXPECT_EQ(first({}), 0);
  EXPECT_EQ(first({0}), 0);
  EXPECT_EQ(first({1}), 3);
  EXPECT_EQ(first({1, 1}), 4);
  EXPECT_EQ(first({2}), 7);
  EXPECT_EQ(first({3}), -1);
  EXPECT_EQ(first({-1}), -1);
  EXPECT_EQ(first({0, 0}), -1);
  EXPECT_EQ(offsets.Find(shapes, outer, std::vector<int64_t>{1, 1})->shape, b);
}

}  // namespace
}  // namespace halo
