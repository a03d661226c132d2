// Tests which devices behave alike.
#include "halo/cost/scale/job_classes.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

class Job {
 public:
  Job(const std::string& attributes, const DeviceLayout& layout)
      : read_(
            ReadHloText(SourceBuffer::Copy("HloModule m\nENTRY e {\n  p = f32[8]{0} parameter(0)\n"
                                           "  ROOT c = f32[8]{0} collective-permute(p), " +
                                               attributes + "\n}\n",
                                           "m"))),
        inst_(read_.module.comp(read_.module.entry).root),
        classes_(read_.module, {inst_}, layout) {
    EXPECT_TRUE(read_.diagnostics.ok());
  }
  [[nodiscard]] const JobClasses& classes() const { return classes_; }
  [[nodiscard]] const CollectivePart& part(uint32_t each) const {
    return classes_.part(inst_, each);
  }

 private:
  TextReadResult read_;
  InstId inst_;
  JobClasses classes_;
};

TEST(JobClasses, ARingInOneNodeIsOneClass) {
  const Job job("source_target_pairs={{0,1},{1,2},{2,3},{3,0}}",
                {.program = 4, .copies = 1000, .per_node = 4});
  EXPECT_EQ(job.classes().count(), 1U);
  EXPECT_EQ(job.classes().size(0), 4000);
  EXPECT_EQ(job.part(0).nodes, 1);
  EXPECT_EQ(job.part(0).partners, std::vector<uint32_t>{0});
  EXPECT_EQ(NodesAcrossCopies({.program = 4, .copies = 1000, .per_node = 4}), 1000);
  EXPECT_EQ(NodesAcrossCopies({.program = 3, .copies = 4, .per_node = 8}), 2);
  EXPECT_EQ(NodesAcrossCopies({.program = 3, .copies = 4, .per_node = 0}), 1);
}

TEST(JobClasses, PairsAcrossNodesDiffer) {
  // 1 to 2 and 3 to 0 cross nodes, so every device sends or receives across nodes: all alike.
  const Job ring("source_target_pairs={{0,1},{1,2},{2,3},{3,0}}",
                 {.program = 4, .copies = 1, .per_node = 2});
  EXPECT_EQ(ring.part(0).nodes, 2);
  // 0 sends only, 1 receives only, 2 and 3 do nothing.
  const Job pair("source_target_pairs={{0,1}}", {.program = 4, .copies = 2, .per_node = 4});
  ASSERT_EQ(pair.classes().count(), 3U);
  EXPECT_EQ(pair.classes().size(0), 2);
  EXPECT_EQ(pair.classes().size(2), 4);
  EXPECT_EQ(pair.part(0).partners, (std::vector<uint32_t>{0, 1}));
  EXPECT_FALSE(pair.part(2).takes_part);
}

TEST(JobClasses, PartnersOfPartnersCount) {
  // A chain: its ends differ from the middle, and those next to an end from those further away.
  const Job chain("source_target_pairs={{0,1},{1,2},{2,3},{3,4}}",
                  {.program = 5, .copies = 1, .per_node = 0});
  EXPECT_EQ(chain.classes().count(), 5U);
}

TEST(JobClasses, CopiesThatBeginAtTheSamePlaceOfANodeAreAlike) {
  // Copies of 3 in nodes of 4 begin at 0, 3, 2, 1, 0, ...: in the second, third and fourth, a pair
  // crosses nodes, between other devices each time.
  const Job job("source_target_pairs={{0,1},{1,2}}",
                {.program = 3, .copies = 1000001, .per_node = 4});
  int64_t devices = 0;
  for (uint32_t each = 0; each < job.classes().count(); ++each) devices += job.classes().size(each);
  EXPECT_EQ(devices, 3000003);
  EXPECT_GT(job.classes().count(), 3U);
  EXPECT_LE(job.classes().count(), 12U);
}

TEST(JobClasses, TooManyDevicesAreRefused) {
  const Job job("source_target_pairs={{0,1}}", {.program = 1 << 22, .copies = 1, .per_node = 8});
  EXPECT_NE(job.classes().problem(), "");
}

}  // namespace
}  // namespace halo
