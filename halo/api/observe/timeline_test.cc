// Tests the bytes of the trace: packets in order, one track per rank, flows that begin and end.
#include "halo/api/observe/timeline.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(TimelineTest, NamesRanksInstructionsAndKinds) {
  std::vector<RankTimeline> ranks(2);
  ranks[1].rank = 1;
  for (RankTimeline& rank : ranks) {
    rank.events.push_back({"all-reduce.1", "start", true, 5, 9, 1, 0});
    rank.events.push_back({"dot.2", "kernel", false, 9, 20, 0, 0});
    rank.events.push_back({"all-reduce.1", "await", true, 20, 21, 0, 1});
  }
  const std::string trace = PerfettoTrace("step", ranks);
  EXPECT_EQ(trace[0], '\x0a');  // field 1, a message
  for (const char* name : {"rank 0 of step", "rank 1 of step", "start %all-reduce.1",
                           "kernel %dot.2", "communication", "compute"}) {
    EXPECT_NE(trace.find(name), std::string::npos) << name;
  }
  // A flow is a fixed64 in field 47 where it begins and in field 48 where it ends; it contains the
  // rank and the number.
  const std::string flow("\x01\0\0\0\0\x02\0\0", 8);
  EXPECT_NE(trace.find("\xf9\x02" + flow), std::string::npos);
  EXPECT_NE(trace.find("\x81\x03" + flow), std::string::npos);
}

TEST(TimelineTest, IsEmptyWithoutRanks) { EXPECT_TRUE(PerfettoTrace("step", {}).empty()); }

}  // namespace
}  // namespace halo
