// Tests the limits of control groups on folders made for it.
#include "halo/base/machine_memory.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "halo/base/test/group_folder.h"

namespace halo {
namespace {

class GroupMemoryLimitTest : public GroupFolderTest {
 protected:
  int64_t Limit() const { return GroupMemoryLimit(listing(), root()); }
};

TEST_F(GroupMemoryLimitTest, TakesTheLeastOnTheWayUp) {
  Write("listing", "0::/job/step\n");
  Write("job/memory.max", "1000\n");
  Write("job/step/memory.max", "max\n");
  EXPECT_EQ(Limit(), 1000);
  Write("job/step/memory.max", "300\n");
  EXPECT_EQ(Limit(), 300);
}

TEST_F(GroupMemoryLimitTest, FirstVersionAndContainers) {
  Write("listing", "5:cpu:/a\n4:memory:/outside/of/container\n");
  Write("memory/memory.limit_in_bytes", "500\n");
  Write("memory.max", "1\n");
  EXPECT_EQ(Limit(), 500);
}

TEST_F(GroupMemoryLimitTest, WithoutGroupsThereIsNoLimit) {
  EXPECT_EQ(Limit(), INT64_MAX);
  Write("listing", "nonsense\n0:\n0::/../../x\n");
  EXPECT_EQ(Limit(), INT64_MAX);
  EXPECT_GT(MachineMemory(), 1 << 20);
}

}  // namespace
}  // namespace halo
