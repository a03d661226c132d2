// The level that loops run at, and what they write.
#include "halo/runtime/cpu_level.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(CpuLevelTest, LoopsRunAtTheBestLevel) {
  const CpuLevel level = ForCpu([](auto tag) HALO_INLINED { return decltype(tag)::value; });
  EXPECT_EQ(level, BestCpuLevel());
}

TEST(CpuLevelTest, LoopsWriteThroughWhatTheyCapture) {
  std::vector<int32_t> values(1001, 1);
  int32_t* data = values.data();
  ForCpu([=](auto) HALO_INLINED {
    for (int32_t i = 0; i < 1001; ++i) data[i] += i;
  });
  for (int32_t i = 0; i < 1001; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], i + 1);
}

}  // namespace
}  // namespace halo
