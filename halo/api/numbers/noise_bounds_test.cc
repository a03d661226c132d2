// Bounds of values over moved runs, and inputs moved by one step.
#include "halo/api/numbers/noise_bounds.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "halo/api/numbers/moved_inputs.h"

namespace halo {
namespace {

Array Floats(std::initializer_list<float> values) {
  Array array(ElementType::kF32, std::vector<int64_t>{static_cast<int64_t>(values.size())});
  std::ranges::copy(values, array.Mutable<float>().begin());
  return array;
}

TEST(NoiseBounds, ADifferenceThatMovedRunsShowIsExplained) {
  NoiseBounds bounds(Floats({1, 100}));
  EXPECT_FALSE(bounds.Compare(Floats({1.01F, 100}), {}).ok());
  bounds.Widen(Floats({1.008F, 100}));
  EXPECT_TRUE(bounds.Compare(Floats({1.01F, 100}), {}).ok());
  const ArrayComparison far = bounds.Compare(Floats({2, 100}), {});
  EXPECT_EQ(far.beyond, 1);
  ASSERT_FALSE(far.worst.empty());
  EXPECT_EQ(far.worst[0].expected, 1);
  EXPECT_EQ(far.worst[0].got, 2);
}

TEST(NoiseBounds, ANanIsExplainedOnlyByANan) {
  NoiseBounds bounds(Floats({1}));
  bounds.Widen(Floats({1.5F}));
  EXPECT_FALSE(bounds.Compare(Floats({NAN}), {}).ok());
  EXPECT_FALSE(NoiseBounds(Floats({NAN})).Compare(Floats({1}), {}).ok());
  EXPECT_TRUE(NoiseBounds(Floats({NAN})).Compare(Floats({NAN}), {}).ok());
}

TEST(NoiseBounds, IntegersMustBeInTheRange) {
  Array one(ElementType::kS32, std::vector<int64_t>{1});
  Array three = one;
  Array four = one;
  one.Mutable<int32_t>()[0] = 1;
  three.Mutable<int32_t>()[0] = 3;
  four.Mutable<int32_t>()[0] = 4;
  NoiseBounds bounds(one);
  bounds.Widen(three);
  EXPECT_TRUE(bounds.Compare(three, {}).ok());
  EXPECT_FALSE(bounds.Compare(four, {}).ok());
}

TEST(NoiseBounds, OtherDimensionsAreNotComparable) {
  EXPECT_FALSE(NoiseBounds(Floats({1})).Compare(Floats({1, 1}), {}).comparable);
}

TEST(MovedInputs, EachFloatMovesByAtMostOneStepAndZerosStay) {
  RunInputs inputs;
  RunInput& input = inputs.list.emplace_back();
  input.name = "in_0";
  input.arrays = {Floats({0, 1, -1, INFINITY, NAN, 1e-40F, 3.4028235e38F})};
  int moved = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<InputArray> given = MovedInputs(inputs, seed);
    ASSERT_EQ(given.size(), 1U);
    EXPECT_EQ(given[0].name, "in_0");
    const auto before = input.arrays[0].as<uint32_t>();
    const auto after = given[0].array.as<uint32_t>();
    for (size_t i = 0; i < before.size(); ++i) {
      const auto away = static_cast<int64_t>(after[i]) - static_cast<int64_t>(before[i]);
      EXPECT_LE(std::abs(away), 1);
      moved += away != 0 ? 1 : 0;
    }
    EXPECT_EQ(after[0], before[0]);
    EXPECT_EQ(after[3], before[3]);
    EXPECT_TRUE(std::isfinite(std::bit_cast<float>(after[6])));
  }
  EXPECT_GT(moved, 20);
}

}  // namespace
}  // namespace halo
