// Tests the quotas of control groups on folders made for it.
#include "halo/base/machine_cores.h"

#include <cstdint>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

#include <gtest/gtest.h>

#include "halo/base/test/group_folder.h"

namespace halo {
namespace {

class GroupCoreLimitTest : public GroupFolderTest {
 protected:
  int64_t Limit() const { return GroupCoreLimit(listing(), root()); }
};

TEST_F(GroupCoreLimitTest, TakesTheLeastOnTheWayUpInWholeCores) {
  Write("listing", "0::/job/step\n");
  Write("job/cpu.max", "max 100000\n");
  Write("job/step/cpu.max", "400000 100000\n");
  EXPECT_EQ(Limit(), 4);
  Write("job/cpu.max", "150000 100000\n");
  EXPECT_EQ(Limit(), 2);
}

TEST_F(GroupCoreLimitTest, FirstVersion) {
  Write("listing", "4:memory:/x\n3:cpu,cpuacct:/job\n");
  Write("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  Write("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Limit(), INT64_MAX);
  Write("cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
  Write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Limit(), 1);
}

TEST_F(GroupCoreLimitTest, WithoutGroupsThereIsNoLimit) {
  EXPECT_EQ(Limit(), INT64_MAX);
  Write("listing", "nonsense\n0:\n0::/../../x\n");
  Write("cpu.max", "nonsense\n");
  EXPECT_EQ(Limit(), INT64_MAX);
  EXPECT_GE(MachineCores(), 1);
}

#if defined(__linux__) && defined(HALO_WITH_THREADS)
TEST(AllowedCoresTest, FollowsTheMaskOfTheThread) {
  int64_t allowed = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof(one), &one) == 0) allowed = AllowedCores();
  }).join();
  EXPECT_EQ(allowed, 1);
  EXPECT_GE(AllowedCores(), 1);
}
#endif

}  // namespace
}  // namespace halo
