// Tests a step on several devices: who waits for whom, loops, copies.
#include "halo/cost/scale/scale_step.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "halo/cost/timeline/step_timeline.h"
#include "halo/cost/timeline/test/timed_module.h"

namespace halo {
namespace {

class Scaled {
 public:
  // Times of kernels by name, in kTimeUnit; collectives take what the model says of the links.
  Scaled(const std::string& text, const std::map<std::string, double>& kernels,
         const DeviceLayout& layout, double gradients = 0)
      : timed_(text, kernels, Backend::kTpu) {
    const Module& module = timed_.read.module;
    DeviceRates rates;
    rates.link.value = 1e9;
    rates.links.value = 1;
    rates.network.value = 1e8;
    rates.node.value = static_cast<double>(layout.per_node);
    step_ = TimeAtScale(
        module, timed_.cost, timed_.ops,
        {.backend = Backend::kTpu, .rates = rates, .layout = layout, .gradient_bytes = gradients});
    timeline_ = MakeTimeline(module, timed_.cost, timed_.ops, {.backend = Backend::kTpu});
  }
  [[nodiscard]] const ScaleStep& step() const { return step_; }
  [[nodiscard]] const Timeline& timeline() const { return timeline_; }

 private:
  TimedModule timed_;
  ScaleStep step_;
  Timeline timeline_;
};

constexpr const char* kChain = R"(
ENTRY e {
  p = f32[1000]{0} parameter(0)
  k = f32[1000]{0} negate(p)
  c = f32[1000]{0} collective-permute(k), source_target_pairs={{0,1},{1,2}}
  ROOT d = f32[1000]{0} negate(c)
})";

TEST(ScaleStep, ClassesWaitForTheirPartners) {
  const Scaled scaled(kChain, {{"k", 3}, {"c", 1}, {"d", 2}},
                      {.program = 4, .copies = 1, .per_node = 2});
  const ScaleStep& step = scaled.step();
  ASSERT_EQ(step.problem, "");
  EXPECT_EQ(step.classes, 4U);
  // 0 to 1 is within a node; 1 to 2 crosses, which is what 1 and 2 take; 3 does nothing.
  ASSERT_EQ(step.collectives.size(), 2U);
  EXPECT_EQ(step.collectives[0].nodes, 1);
  EXPECT_EQ(step.collectives[0].devices, 1);
  EXPECT_EQ(step.collectives[1].nodes, 2);
  EXPECT_EQ(step.collectives[1].devices, 2);
  EXPECT_GT(step.collectives[1].seconds, step.collectives[0].seconds);
  EXPECT_EQ(step.seconds, 5 * kTimeUnit + step.collectives[1].seconds);
  EXPECT_EQ(step.exposed, step.collectives[1].seconds);
}

TEST(ScaleStep, WithoutCollectivesItIsTheTimeline) {
  const Scaled scaled(R"(
body {
  s = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8]{0} get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  cs = (f32[8]{0}, f32[8]{0}, u32[]) copy-start(x)
  k = f32[8]{0} negate(x)
  cd = f32[8]{0} copy-done(cs)
  ROOT r = (s32[], f32[8]{0}) tuple(next, cd)
}
cond {
  s.1 = (s32[], f32[8]{0}) parameter(0)
  i.1 = s32[] get-tuple-element(s.1), index=0
  n = s32[] constant(100000)
  ROOT go = pred[] compare(i.1, n), direction=LT
}
ENTRY e {
  p = f32[8]{0} parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[8]{0}) tuple(zero, p)
  ROOT loop = (s32[], f32[8]{0}) while(init), condition=cond, body=body
})",
                      {{"cs", 7}, {"k", 5}, {"go", 1}}, {.program = 4, .copies = 3, .per_node = 8});
  EXPECT_EQ(scaled.step().classes, 1U);
  EXPECT_EQ(scaled.step().seconds, scaled.timeline().step.estimate);
  EXPECT_EQ(scaled.step().seconds, (100000.0 * 8 + 1) * kTimeUnit);
}

TEST(ScaleStep, CopiesReduceTheirGradients) {
  const DeviceLayout one{.program = 4, .copies = 1, .per_node = 2};
  const DeviceLayout many{.program = 4, .copies = 1000, .per_node = 2};
  const Scaled alone(kChain, {{"k", 3}, {"c", 1}}, one, 1e6);
  const Scaled together(kChain, {{"k", 3}, {"c", 1}}, many, 1e6);
  EXPECT_EQ(alone.step().gradient_seconds, 0);
  EXPECT_GT(together.step().gradient_seconds, 1e6 / 1e8);
  EXPECT_EQ(together.step().seconds, alone.step().seconds + together.step().gradient_seconds);
  EXPECT_EQ(together.step().classes, alone.step().classes);
  EXPECT_GT(together.step().straggler_seconds, alone.step().straggler_seconds);
}

}  // namespace
}  // namespace halo
