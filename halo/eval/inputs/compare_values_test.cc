// Tests when elements agree, and what is reported about those that do not.
#include "halo/eval/inputs/compare_values.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

using ::testing::ElementsAre;

Array Floats(ElementType type, const std::vector<double>& values, Dims dims = {}) {
  if (dims.empty()) dims = {static_cast<int64_t>(values.size())};
  Array array(type, dims);
  for (size_t i = 0; i < values.size(); ++i) {
    StoreFloat(type, values[i], array.MutableBytes() + i * array.element_bytes());
  }
  return array;
}

TEST(CompareArrays, EqualBitsAgree) {
  const Array a = Floats(ElementType::kF32, {1, NAN, INFINITY, -0.0});
  const ArrayComparison result = CompareArrays(a, a, {});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.different, 0);
  EXPECT_EQ(result.largest_expected, 1);
}

TEST(CompareArrays, StepsAreCountedAcrossZero) {
  const double least = std::numeric_limits<float>::denorm_min();
  const ArrayComparison result = CompareArrays(Floats(ElementType::kF32, {least}),
                                               Floats(ElementType::kF32, {-least}), {0, 0, 1});
  EXPECT_EQ(result.max_ulp, 2);
  EXPECT_EQ(result.beyond, 1);
}

TEST(CompareArrays, ZerosOfBothSignsAgree) {
  const ArrayComparison result =
      CompareArrays(Floats(ElementType::kBF16, {0.0}), Floats(ElementType::kBF16, {-0.0}), {});
  EXPECT_EQ(result.different, 0);
}

TEST(CompareArrays, WhatIsNoNumberDiffersFromNumbers) {
  for (const double other : {1.0, static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
    EXPECT_FALSE(CompareArrays(Floats(ElementType::kF32, {NAN}), Floats(ElementType::kF32, {other}),
                               {1, 1e30, INT64_MAX - 1})
                     .ok());
  }
  EXPECT_FALSE(CompareArrays(Floats(ElementType::kF32, {INFINITY}),
                             Floats(ElementType::kF32, {-INFINITY}), {1, 1e30, 4})
                   .ok());
}

TEST(CompareArrays, TheWorstComeFirstWithTheirPositions) {
  const Array got = Floats(ElementType::kF32, {1, 2.5, 3, 4.25, 5, 6}, {2, 3});
  const Array expected = Floats(ElementType::kF32, {1, 2, 3, 4, 5, 7}, {2, 3});
  const ArrayComparison result = CompareArrays(got, expected, {0.2, 0, 0}, 2);
  EXPECT_EQ(result.different, 3);
  EXPECT_EQ(result.beyond, 1);
  ASSERT_EQ(result.worst.size(), 2u);
  EXPECT_THAT(result.worst[0].index, ElementsAre(0, 1));
  EXPECT_THAT(result.worst[1].index, ElementsAre(1, 2));
  EXPECT_EQ(result.worst[1].absolute, 1);
  EXPECT_EQ(result.max_absolute, 1);
  EXPECT_EQ(result.max_relative, 0.25);
}

TEST(CompareArrays, IntegersAreExactUnlessAsked) {
  Array a(ElementType::kU64, Dims{1});
  Array b(ElementType::kU64, Dims{1});
  StoreInt(ElementType::kU64, -1, a.MutableBytes());
  StoreInt(ElementType::kU64, -2, b.MutableBytes());
  EXPECT_FALSE(CompareArrays(a, b, DefaultTolerance(ElementType::kU64)).ok());
  EXPECT_EQ(CompareArrays(a, b, {}).max_ulp, 1);
  EXPECT_TRUE(CompareArrays(a, b, {0, 0, 1}).ok());
}

TEST(CompareArrays, OtherDimensionsAreNotComparable) {
  EXPECT_FALSE(CompareArrays(Floats(ElementType::kF32, {1, 2}, {1, 2}),
                             Floats(ElementType::kF32, {1, 2}, {2, 1}), {})
                   .comparable);
}

TEST(CompareArrays, SmallElementsMayDifferAsTheLargestDo) {
  const Array got = Floats(ElementType::kF32, {8, 1e-7 + 0x1p-20});
  const Array expected = Floats(ElementType::kF32, {8, 1e-7});
  EXPECT_TRUE(CompareArrays(got, expected, {0, 0, 0, 1}).ok());
  EXPECT_FALSE(CompareArrays(got, expected, {0, 0, 0, 0.99}).ok());
}

TEST(DefaultTolerance, GrowsWithTheSum) {
  EXPECT_EQ(DefaultTolerance(ElementType::kF32, 100).largest_ulp, 40);
  EXPECT_EQ(DefaultTolerance(ElementType::kF32, 1'000'000).largest_ulp, 128);
  EXPECT_EQ(DefaultTolerance(ElementType::kBF16, 100).ulp, 2);
  EXPECT_EQ(DefaultTolerance(ElementType::kS32, 100).ulp, 0);
  EXPECT_EQ(DefaultTolerance(ElementType::kF8E5M2, 100).ulp, 1);
}

}  // namespace
}  // namespace halo
