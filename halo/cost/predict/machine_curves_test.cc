// Tests curves between, below and beyond their points, and which curve a kernel belongs to.
#include "halo/cost/predict/machine_curves.h"

#include <gtest/gtest.h>

#include "halo/cost/count/module_cost.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

TEST(WorkCurveTest, InterpolatesAndExtrapolates) {
  const WorkCurve curve({{1000, 1e-6}, {10, 1e-7}, {10, 2e-7}, {1e6, 1e-3}});
  EXPECT_EQ(curve.points().size(), 3U);
  EXPECT_EQ(curve.Start(), 1e-7);
  EXPECT_DOUBLE_EQ(curve.Seconds(1), 1e-7);
  EXPECT_DOUBLE_EQ(curve.Seconds(1000), 1e-6);
  EXPECT_NEAR(curve.Seconds(31622.7766), 3.16227766e-5, 1e-9);
  EXPECT_DOUBLE_EQ(curve.Seconds(2e6), 2e-3);
  EXPECT_DOUBLE_EQ(curve.BestRate(), 1e9);
  EXPECT_DOUBLE_EQ(curve.Beyond(5e-8, 5), 2.5e-8);
  EXPECT_DOUBLE_EQ(curve.Beyond(5e-7, 1000), 5e-7);
  EXPECT_EQ(curve.Beyond(1, 1000), 0);
  EXPECT_EQ(WorkCurve().Seconds(1), 0);
}

OpTime RootTime(std::string_view text, const MachineCurves& curves) {
  const TextReadResult read = ReadHloText(text);
  EXPECT_TRUE(read.diagnostics.ok()) << text;
  const ModuleCost cost(read.module, Backend::kCpu);
  const InstId root = read.module.comp(read.module.entry).root;
  const std::optional<OpTime> time =
      PredictOnMachine(read.module, KernelOf(read.module, root), cost.of(root), curves);
  return time.value_or(OpTime());
}

TEST(MachineCurvesTest, ChoosesTheCurveOfTheKernel) {
  MachineCurves curves;
  constexpr std::string_view kAdd =
      "HloModule m\nENTRY e { p = f32[1000] parameter(0)\n ROOT r = f32[1000] add(p, p) }\n";
  constexpr std::string_view kDot =
      "HloModule m\nENTRY e { p = bf16[10,10] parameter(0)\n ROOT r = bf16[10,10] dot(p, p), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n";
  EXPECT_EQ(RootTime(kAdd, curves).seconds, 0);
  curves.by_name["loop bytes"] = WorkCurve({{10, 1e-7}, {8000, 1e-6}});
  EXPECT_DOUBLE_EQ(RootTime(kAdd, curves).seconds, 1e-6);
  EXPECT_EQ(RootTime(kAdd, curves).bound, TimeBound::kMemory);
  EXPECT_EQ(RootTime(kAdd, curves).source, TimeSource::kMeasured);
  curves.by_name["loop flops"] = WorkCurve({{1000, 5e-6}});
  EXPECT_DOUBLE_EQ(RootTime(kAdd, curves).seconds, 5e-6);
  EXPECT_EQ(RootTime(kAdd, curves).bound, TimeBound::kCompute);
  curves.by_name["product bytes"] = WorkCurve({{10, 1e-7}, {1e4, 1e-6}});
  curves.by_name["product bf16 flops"] = WorkCurve({{2000, 3e-6}});
  EXPECT_DOUBLE_EQ(RootTime(kDot, curves).seconds, 3e-6);
  EXPECT_LE(RootTime(kDot, curves).floor, RootTime(kDot, curves).seconds);
}

}  // namespace
}  // namespace halo
