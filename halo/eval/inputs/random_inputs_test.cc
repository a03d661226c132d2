// Generated inputs stay within their ranges and depend only on what is specified.
#include "halo/eval/inputs/random_inputs.h"

#include <cmath>

#include <gtest/gtest.h>

#include "halo/eval/inputs/summary.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

RandomInput Input(InputUse use, int64_t parameter = 0, uint64_t seed = 1) {
  RandomInput input;
  input.seed = seed;
  input.parameter = parameter;
  input.use = use;
  return input;
}

bool Same(const Array& a, const Array& b) {
  return std::equal(a.bytes(), a.bytes() + a.byte_count(), b.bytes());
}

TEST(RandomInputs, IndicesStayBelowTheirLimitAndReachIt) {
  InputUse use;
  use.role = InputRole::kIndex;
  use.limit = 5;
  const Array array = MakeRandomInput(ElementType::kS32, Dims{1000}, Input(use));
  const ArraySummary summary = Summarize(array);
  EXPECT_EQ(summary.min, 0);
  EXPECT_EQ(summary.max, 4);
}

TEST(RandomInputs, IndicesFitTheirType) {
  InputUse use;
  use.role = InputRole::kIndex;
  use.limit = 100'000;
  EXPECT_LE(Summarize(MakeRandomInput(ElementType::kS8, Dims{1000}, Input(use))).max, 127);
  EXPECT_GE(Summarize(MakeRandomInput(ElementType::kS8, Dims{1000}, Input(use))).min, 0);
}

TEST(RandomInputs, FactorsShrinkWithTheSum) {
  InputUse use;
  use.role = InputRole::kFactor;
  use.summed = 100;
  const Array array = MakeRandomInput(ElementType::kF32, Dims{10'000}, Input(use));
  double squares = 0;
  for (const float value : array.as<float>()) squares += static_cast<double>(value) * value;
  EXPECT_NEAR(std::sqrt(squares / 10'000), 0.1, 0.005);
  EXPECT_NEAR(Summarize(array).mean, 0, 0.01);
}

TEST(RandomInputs, PositivesArePositive) {
  InputUse use;
  use.role = InputRole::kPositive;
  EXPECT_GE(Summarize(MakeRandomInput(ElementType::kBF16, Dims{1000}, Input(use))).min, 0.0625);
  EXPECT_GE(Summarize(MakeRandomInput(ElementType::kS32, Dims{1000}, Input(use))).min, 1);
}

TEST(RandomInputs, SeedAndParameterDecide) {
  const Dims dims = {64};
  const Array one = MakeRandomInput(ElementType::kF32, dims, Input({}, 0, 1));
  EXPECT_TRUE(Same(one, MakeRandomInput(ElementType::kF32, dims, Input({}, 0, 1))));
  EXPECT_FALSE(Same(one, MakeRandomInput(ElementType::kF32, dims, Input({}, 1, 1))));
  EXPECT_FALSE(Same(one, MakeRandomInput(ElementType::kF32, dims, Input({}, 0, 2))));
}

}  // namespace
}  // namespace halo
