// Tests which sizes the relations between dimensions leave free, and how new sizes determine all
// others.
#include "halo/shrink/dims/dim_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/shrink/dims/new_sizes.h"

namespace halo {
namespace {

using testing::ElementsAre;

const InstId kWhy(0u);

std::vector<int64_t> FactorSizes(const DimSpace& space, DimId node) {
  std::vector<DimId> factors;
  space.Factors(node, factors);
  std::vector<int64_t> sizes;
  for (const DimId each : factors) sizes.push_back(space.size(each));
  return sizes;
}

TEST(DimSpace, AReshapeMakesAProductOfFactors) {
  DimSpace space;
  const DimId rows = space.Make(32);
  const DimId split[] = {space.Make(4), space.Make(8)};
  space.UnifyProducts({&rows, 1}, split, kWhy);
  EXPECT_THAT(FactorSizes(space, rows), ElementsAre(4, 8));
  NewSizes sizes(space);
  std::vector<DimId> leaves;
  space.Leaves(split[1], leaves);
  ASSERT_EQ(leaves.size(), 1U);
  sizes.Set(leaves[0], 2);
  EXPECT_EQ(sizes.of(rows), 8);
  EXPECT_EQ(sizes.of(split[0]), 4);
}

TEST(DimSpace, WhatIsTheSameChangesTogether) {
  DimSpace space;
  const DimId a = space.Make(6);
  const DimId b = space.Make(6);
  const DimId c = space.Make(6);
  space.Unify(a, b, kWhy);
  NewSizes sizes(space);
  sizes.Set(space.Find(a), 3);
  EXPECT_EQ(sizes.of(b), 3);
  EXPECT_EQ(sizes.of(c), 6);
  EXPECT_TRUE(sizes.Changes(b));
  EXPECT_FALSE(sizes.Changes(c));
}

TEST(DimSpace, AConcatenationIsASumOfItsParts) {
  DimSpace space;
  const DimId first = space.Make(8);
  const DimId second = space.Make(8);
  const DimId sum = space.Sum({{first, 0}, {second, 0}, {{}, 3}}, kWhy);
  EXPECT_EQ(space.size(sum), 19);
  EXPECT_TRUE(space.IsSum(sum));
  NewSizes sizes(space);
  sizes.Set(space.Find(first), 2);
  EXPECT_EQ(sizes.of(sum), 13);
  // The start of the second part maps to its new start.
  EXPECT_EQ(sizes.Position(sum, 8), 2);
}

TEST(DimSpace, APinHoldsAllThatIsBelow) {
  DimSpace space;
  const DimId rows = space.Make(12);
  DimId hi, lo;
  ASSERT_TRUE(space.SplitAt(rows, 4, kWhy, &hi, &lo));
  EXPECT_FALSE(space.IsPinned(rows));
  space.Pin(hi, kWhy, "three of a kind");
  EXPECT_TRUE(space.IsPinned(hi));
  EXPECT_FALSE(space.IsPinned(rows));
  space.Pin(rows, kWhy, "all of it");
  EXPECT_TRUE(space.IsPinned(lo));
  ASSERT_NE(space.ReasonOf(space.Find(hi)), nullptr);
  EXPECT_EQ(space.ReasonOf(space.Find(hi))->text, "three of a kind");
}

TEST(DimSpace, WhatCannotBeCutThereIsPinned) {
  DimSpace space;
  const DimId rows = space.Make(10);
  DimId hi, lo;
  EXPECT_FALSE(space.SplitAt(rows, 4, kWhy, &hi, &lo));
  EXPECT_TRUE(space.IsPinned(rows));
}

// Without shorter links, this takes the square of the count: minutes.
TEST(DimSpaceTest, ALongChainOfEqualSizesIsFollowedQuickly) {
  DimSpace space;
  std::vector<DimId> dims;
  for (int i = 0; i < 60'000; ++i) dims.push_back(space.Make(6));
  for (size_t i = 1; i < dims.size(); ++i) space.Unify(dims[i], dims[i - 1], {});
  for (int round = 0; round < 3; ++round) {
    for (const DimId dim : dims) ASSERT_EQ(space.Find(dim), space.Find(dims[0]));
  }
}

}  // namespace
}  // namespace halo
