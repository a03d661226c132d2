// Tests how far transfers can move and what that saves. Times are given, so that every expected
// figure can be worked out by hand.
#include "halo/cost/timeline/free_transfer.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "halo/cost/timeline/test/timed_module.h"

namespace halo {
namespace {

constexpr const char* kSum =
    "%add (a: f32[], b: f32[]) -> f32[] {\n"
    "  %a = f32[] parameter(0)\n"
    "  %b = f32[] parameter(1)\n"
    "  ROOT %s = f32[] add(%a, %b)\n"
    "}\n";

class Moved {
 public:
  Moved(const std::string& entry, const std::map<std::string, double>& times)
      : timed_(kSum + entry, times, Backend::kGpu), mover_(timed_.read.module) {}

  // The estimate with these transfers moved.
  double Estimate(const std::vector<std::string>& names) {
    std::vector<InstId> starts;
    for (const std::string& name : names) starts.push_back(timed_.Find(name));
    TimelineOptions options = {.backend = Backend::kGpu, .per_node = 8, .gap = 0};
    options.moved = mover_.Free(starts);
    return MakeTimeline(timed_.read.module, timed_.cost, timed_.ops, options).step.estimate /
           kTimeUnit;
  }

  std::string IndependentOf(std::string_view name) const {
    const InstId start = timed_.Find(name);
    const std::vector<bool> independent = mover_.Independent(start);
    const uint32_t first = timed_.read.module.comp(timed_.read.module.inst(start).parent).first;
    std::string names;
    for (uint32_t i = 0; i < independent.size(); ++i) {
      if (!independent[i]) continue;
      names += (names.empty() ? "" : " ");
      names += timed_.read.module.name_of(timed_.read.module.insts[first + i]);
    }
    return names;
  }

 private:
  TimedModule timed_;
  TransferMover mover_;
};

constexpr const char* kOneCollective =
    "ENTRY %main (p: f32[8]) -> (f32[8], f32[8]) {\n"
    "  %p = f32[8] parameter(0)\n"
    "  %before = f32[8] sine(%p)\n"
    "  %beside = f32[8] cosine(%p)\n"
    "  %all = f32[8] all-reduce(%before), replica_groups={{0,1,2,3}}, to_apply=%add\n"
    "  %late = f32[8] exponential(%p)\n"
    "  %after = f32[8] tanh(%all)\n"
    "  ROOT %out = (f32[8], f32[8]) tuple(%after, %late)\n"
    "}\n";

TEST(FreeTransferTest, ACollectiveRunsBesideWhatNeitherNeedsItNorIsNeededByIt) {
  Moved moved(kOneCollective,
              {{"before", 10}, {"beside", 20}, {"all", 100}, {"late", 30}, {"after", 5}});
  EXPECT_EQ(moved.Estimate({}), 165);
  // From the end of `before` on: 100, with 50 of kernels beside it.
  EXPECT_EQ(moved.Estimate({"all"}), 115);
  EXPECT_EQ(moved.IndependentOf("all"), "beside late");
}

TEST(FreeTransferTest, AStartMovesUpAndItsDoneDown) {
  Moved moved(
      "ENTRY %main (p: f32[8]) -> f32[8] {\n"
      "  %p = f32[8] parameter(0)\n"
      "  %one = f32[8] sine(%p)\n"
      "  %start = f32[8] all-reduce-start(%p), replica_groups={{0,1,2,3}}, to_apply=%add\n"
      "  %done = f32[8] all-reduce-done(%start)\n"
      "  %two = f32[8] cosine(%one)\n"
      "  ROOT %sum = f32[8] add(%done, %two)\n"
      "}\n",
      {{"one", 10}, {"start", 15}, {"two", 10}, {"sum", 1}});
  EXPECT_EQ(moved.Estimate({}), 36);
  EXPECT_EQ(moved.Estimate({"start"}), 21);
}

TEST(FreeTransferTest, OneThatNeedsAnotherBeginsAfterIt) {
  Moved moved(
      "ENTRY %main (p: f32[8]) -> f32[8] {\n"
      "  %p = f32[8] parameter(0)\n"
      "  %first = f32[8] all-reduce(%p), replica_groups={{0,1,2,3}}, to_apply=%add\n"
      "  %beside = f32[8] cosine(%p)\n"
      "  %second = f32[8] all-reduce(%first), replica_groups={{0,1,2,3}}, to_apply=%add\n"
      "  ROOT %sum = f32[8] add(%beside, %second)\n"
      "}\n",
      {{"first", 40}, {"beside", 30}, {"second", 40}, {"sum", 1}});
  EXPECT_EQ(moved.Estimate({}), 111);
  EXPECT_EQ(moved.Estimate({"first", "second"}), 81);
}

TEST(FreeTransferTest, ATransferBetweenItsOnlyNeighboursStays) {
  Moved moved(
      "ENTRY %main (p: f32[8]) -> f32[8] {\n"
      "  %p = f32[8] parameter(0)\n"
      "  %before = f32[8] sine(%p)\n"
      "  %all = f32[8] all-reduce(%before), replica_groups={{0,1,2,3}}, to_apply=%add\n"
      "  ROOT %after = f32[8] tanh(%all)\n"
      "}\n",
      {{"before", 10}, {"all", 100}, {"after", 5}});
  EXPECT_EQ(moved.Estimate({"all"}), 115);
  EXPECT_EQ(moved.IndependentOf("all"), "");
}

}  // namespace
}  // namespace halo
