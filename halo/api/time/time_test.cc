// Facts of a program's time do not depend on advice, another scale or the number of rows.
#include "halo/api/time/time.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

TimeResult Analyzed(TimeRequest request) {
  request.files = {std::string(HALO_SOURCE_DIR) +
                   "/examples/h100x4_fsdp_mlp_train/"
                   "module_0001.jit_fsdp_mlp_train.sm_9.0a_gpu_after_optimizations.txt"};
  return AnalyzeTime(request);
}

TEST(AnalyzeTime, FactsDoNotDependOnWhatIsTried) {
  TimeRequest plain, scaled;
  plain.advise = false;
  scaled.copies = 16;
  const TimeResult base = Analyzed(plain);
  ASSERT_TRUE(base.succeeded);
  EXPECT_FALSE(base.ops.empty());
  EXPECT_TRUE(base.advice.empty());
  for (const TimeRequest& request : {TimeRequest(), scaled}) {
    const TimeResult result = Analyzed(request);
    ASSERT_TRUE(result.succeeded);
    EXPECT_EQ(result.verdict, base.verdict);
    EXPECT_EQ(result.step.estimate, base.step.estimate);
    EXPECT_EQ(result.step.floor, base.step.floor);
    EXPECT_EQ(result.cost.work.flops, base.cost.work.flops);
    ASSERT_EQ(result.ops.size(), base.ops.size());
    for (size_t i = 0; i < base.ops.size(); ++i) {
      EXPECT_EQ(result.ops[i].name, base.ops[i].name);
      EXPECT_EQ(result.ops[i].time.seconds, base.ops[i].time.seconds);
      EXPECT_EQ(result.ops[i].exposed, base.ops[i].exposed);
      EXPECT_EQ(result.ops[i].critical, base.ops[i].critical);
    }
  }
}

}  // namespace
}  // namespace halo
