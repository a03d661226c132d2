// Every description is complete: memory spaces are distinct, facts state where they were learnt,
// and the names of TPU's memory spaces are those of XLA's report.
#include "halo/memory/backend/backend_description.h"

#include <set>

#include <gtest/gtest.h>

#include "halo/memory/backend/memory_spaces.h"
#include "halo/memory/text/memory_report.h"

namespace halo {
namespace {

TEST(BackendDescription, NamesAndRulesAgree) {
  for (const BackendDescription* each : BackendDescriptions()) {
    EXPECT_EQ(&DescriptionOf(each->backend), each);
    EXPECT_EQ(each->rules.backend, each->backend);
    EXPECT_EQ(BackendFromName(each->name), each->backend);
    EXPECT_EQ(BackendName(each->backend), each->name);
  }
  EXPECT_EQ(BackendFromName("npu"), std::nullopt);
}

TEST(BackendDescription, SpacesAreToldApart) {
  for (const BackendDescription* each : BackendDescriptions()) {
    std::set<int32_t> numbers;
    std::set<std::string_view> names;
    for (const SpaceDescription& space : each->spaces) {
      EXPECT_TRUE(numbers.insert(space.number).second);
      EXPECT_TRUE(names.insert(space.name).second);
      EXPECT_FALSE(space.meaning.empty()) << each->name << " " << space.number;
    }
    EXPECT_TRUE(numbers.contains(kMainSpace));
    EXPECT_TRUE(numbers.contains(kHostSpace));
    EXPECT_TRUE(each->space(kMainSpace).is_device);
    EXPECT_FALSE(each->space(kHostSpace).is_device);
  }
  EXPECT_EQ(kGpuBackend.SpaceName(kGpuCollectiveSpace), "collective memory");
  EXPECT_EQ(kGpuBackend.SpaceName(9), "color 9");
  EXPECT_EQ(kTpuBackend.SpaceName(9), "color_9");
}

TEST(BackendDescription, TpuSpacesAreNamedAsInTheReport) {
  for (const SpaceDescription& space : kTpuBackend.spaces) {
    if (space.number == kMainSpace) continue;
    EXPECT_EQ(space.name, MemorySpaceName(space.number));
  }
}

TEST(BackendDescription, FactsSayWhereTheyWereLearnt) {
  for (const BackendDescription* each : BackendDescriptions()) {
    EXPECT_FALSE(each->facts.empty());
    for (const GenerationFact& fact : each->facts) {
      EXPECT_FALSE(fact.what.empty());
      EXPECT_FALSE(fact.since.empty()) << fact.what;
      EXPECT_FALSE(fact.provenance.empty()) << fact.what;
    }
  }
}

TEST(BackendDescription, AlignmentIsTheSpacesOwn) {
  BackendRules rules = RulesOf(Backend::kTpu);
  EXPECT_EQ(AlignmentOf(rules, kMainSpace), 16384);
  EXPECT_EQ(AlignmentOf(rules, kTpuSemaphoreSpace), 4);
  EXPECT_EQ(AlignmentOf(rules, kTpuSmemSpace), 512);
  EXPECT_EQ(AlignmentOf(rules, 11), 4096);
  rules = RulesOf(Backend::kGpu);
  EXPECT_EQ(AlignmentOf(rules, kGpuCollectiveSpace), 256);
}

TEST(BackendDescription, FinerOffsetsShowAnOlderGeneration) {
  Assignment assignment;
  Allocation temp;
  temp.is_preallocated_temp = true;
  temp.count = 1;
  AssignedValue value;
  value.allocation = AllocationId(0U);
  value.offset = 128;
  assignment.allocations.push_back(temp);
  assignment.placed.emplace_back(0U);
  assignment.values.push_back(value);
  BackendRules rules = RulesOf(Backend::kGpu);
  RefineRules(assignment, rules);
  EXPECT_EQ(rules.alignment, 128);
  assignment.values[0].offset = 4096;
  rules = RulesOf(Backend::kGpu);
  RefineRules(assignment, rules);
  EXPECT_EQ(rules.alignment, 256);
}

TEST(BackendDescription, PagesShowThatTpuAssignsByTime) {
  Assignment assignment;
  assignment.allocations.emplace_back();
  BackendRules rules = RulesOf(Backend::kTpu);
  RefineRules(assignment, rules);
  EXPECT_FALSE(rules.assigns_by_time);
  assignment.allocations[0].page = 0;
  RefineRules(assignment, rules);
  EXPECT_TRUE(rules.assigns_by_time);
  EXPECT_TRUE(rules.live_ranges.async_results_begin_at_start);
  EXPECT_TRUE(rules.shares_through_any_position);
  rules = RulesOf(Backend::kCpu);
  RefineRules(assignment, rules);
  EXPECT_FALSE(rules.assigns_by_time);
  EXPECT_TRUE(rules.shares_through_any_position);
}

}  // namespace
}  // namespace halo
