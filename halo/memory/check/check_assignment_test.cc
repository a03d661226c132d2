// Small modules with handwritten assignments: sound ones and one of each broken kind.
#include "halo/memory/check/check_assignment.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "halo/text/read/read_text.h"

namespace halo {
namespace {

struct Row {
  std::string_view name;
  std::string_view shape;
  uint32_t allocation;
  int64_t offset;
  int64_t size;
  LiveRange live;
};

Assignment Make(std::vector<Allocation> allocations, const std::vector<Row>& rows,
                const std::vector<std::string_view>& sequence) {
  Assignment a;
  a.allocations = std::move(allocations);
  for (const Row& row : rows) {
    AssignedValue value;
    value.id = static_cast<int64_t>(a.values.size());
    value.instruction = a.Text(row.name);
    value.shape = a.Text(row.shape);
    value.allocation = AllocationId(row.allocation);
    value.offset = row.offset;
    value.size = row.size;
    value.live = row.live;
    value.first_position = static_cast<uint32_t>(a.positions.size());
    value.position_count = 1;
    a.positions.push_back({value.instruction, {}});
    a.values.push_back(value);
  }
  for (uint32_t i = 0; i < a.allocations.size(); ++i) {
    a.allocations[i].first = static_cast<uint32_t>(a.placed.size());
    for (uint32_t v = 0; v < a.values.size(); ++v) {
      if (a.values[v].allocation == AllocationId(i)) a.placed.emplace_back(v);
    }
    a.allocations[i].count = static_cast<uint32_t>(a.placed.size()) - a.allocations[i].first;
    a.total_bytes += a.allocations[i].size;
  }
  for (const std::string_view name : sequence) a.sequence.push_back(a.Text(name));
  a.schedule_end = static_cast<int64_t>(sequence.size());
  return a;
}

Allocation Parameter(int64_t size, int32_t number) {
  Allocation allocation;
  allocation.size = size;
  allocation.parameter = number;
  return allocation;
}
Allocation Output(int64_t size) {
  Allocation allocation;
  allocation.size = size;
  allocation.maybe_live_out = true;
  return allocation;
}
Allocation Temp(int64_t size) {
  Allocation allocation;
  allocation.size = size;
  allocation.is_preallocated_temp = true;
  return allocation;
}

// The live range of e ends where r is defined: r reverses, n negates.
constexpr std::string_view kChain = R"(HloModule chain, is_scheduled=true

ENTRY main {
  p = f32[16]{0} parameter(0)
  e = f32[16]{0} exponential(p)
  n = f32[16]{0} negate(e)
  r = f32[16]{0} reverse(n), dimensions={0}
  ROOT o = f32[16]{0} sqrt(r)
}
)";

class CheckChain : public testing::Test {
 protected:
  CheckChain()
      : module_(ReadHloText(kChain).module),
        assignment_(Make({Parameter(64, 0), Output(64), Temp(128)},
                         {{"p", "f32[16]{0}", 0, 0, 64, {0, 5}},
                          {"e", "f32[16]{0}", 2, 0, 64, {1, 2}},
                          {"n", "f32[16]{0}", 2, 0, 64, {2, 3}},
                          {"r", "f32[16]{0}", 2, 64, 64, {3, 4}},
                          {"o", "f32[16]{0}", 1, 0, 64, {4, 5}}},
                         {"p", "e", "n", "r", "o"})) {}

  AssignmentFindings Check() {
    return CheckAssignment(assignment_, &module_, {.rules = CheckRules::kCpu});
  }
  AssignedValue& value(size_t i) { return assignment_.values[i]; }
  void ExpectOnly(FindingKind kind) {
    const AssignmentFindings found = Check();
    EXPECT_GT(found.count(kind), 0U);
    EXPECT_EQ(found.count(kind), found.total)
        << (found.findings.empty() ? "" : found.findings[0].explanation);
  }

  Module module_;
  Assignment assignment_;
};

TEST_F(CheckChain, AcceptsWhatIsSound) {
  const AssignmentFindings found = Check();
  EXPECT_TRUE(found.ok()) << found.findings[0].explanation;
  EXPECT_TRUE(found.coverage.module);
  EXPECT_EQ(found.coverage.values, 5U);
  EXPECT_EQ(found.coverage.unknown_values, 0U);
  EXPECT_EQ(found.coverage.pairs, 1U);  // e and n
}

TEST_F(CheckChain, NamesBothValuesTheBytesAndTheTime) {
  value(3).offset = 32;
  const AssignmentFindings found = Check();
  ASSERT_EQ(found.total, 1U);
  const Finding& finding = found.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::kOverlap);
  EXPECT_EQ(finding.first, ValueId(2U));
  EXPECT_EQ(finding.second, ValueId(3U));
  EXPECT_EQ(finding.allocation, AllocationId(2U));
  EXPECT_EQ(finding.begin, 32);
  EXPECT_EQ(finding.end, 64);
  EXPECT_EQ(finding.time, (LiveRange{3, 3}));
  EXPECT_EQ(finding.explanation,
            "n and r share 32 bytes of allocation 2 at time 3, where the first is last read and "
            "the second is written; this op must not run in place.");
}

TEST_F(CheckChain, OnlyElementwiseOpsOverwriteTheirOperand) {
  value(3).offset = 0;  // r reverses n
  ExpectOnly(FindingKind::kOverlap);
}

TEST_F(CheckChain, InPlaceMeansTheSameFirstByte) {
  value(2).offset = 4;
  ExpectOnly(FindingKind::kOverlap);
}

TEST_F(CheckChain, SeesOverlapsOfWholeLives) {
  value(1).live = {1, 3};
  const AssignmentFindings found = Check();
  ASSERT_EQ(found.total, 1U);
  EXPECT_EQ(found.findings[0].explanation,
            "e and n share 64 bytes of allocation 2 while both are live, from 2 to 3.");
}

TEST_F(CheckChain, FindsValuesOutsideTheirAllocation) {
  value(3).offset = 65;
  ExpectOnly(FindingKind::kOutOfAllocation);
  value(3).offset = INT64_MAX;
  ExpectOnly(FindingKind::kOutOfAllocation);
  value(3).offset = -1;
  ExpectOnly(FindingKind::kOutOfAllocation);
}

TEST_F(CheckChain, FindsWrongSizesAndTotals) {
  value(1).size = 60;
  ExpectOnly(FindingKind::kWrongSize);
  value(1).size = 64;
  ++assignment_.total_bytes;
  ExpectOnly(FindingKind::kWrongTotal);
}

TEST_F(CheckChain, FindsLivesThatEndTooEarly) {
  value(3).live = {3, 3};
  ExpectOnly(FindingKind::kWrongLiveRange);
  value(3).live = {4, 4};
  ExpectOnly(FindingKind::kWrongLiveRange);
}

TEST_F(CheckChain, FindsValuesThatAreNotPlaced) {
  value(3).allocation = {};
  assignment_.allocations[2].count -= 1;
  ExpectOnly(FindingKind::kNotPlaced);
}

TEST_F(CheckChain, KeepsParametersAsTheyAre) {
  value(4).allocation = AllocationId(0U);
  assignment_.placed = {ValueId(0U), ValueId(4U), ValueId(1U), ValueId(2U), ValueId(3U)};
  assignment_.allocations[0].count = 2;
  assignment_.allocations[1].first = 2;
  assignment_.allocations[1].count = 0;
  const AssignmentFindings found = Check();
  EXPECT_EQ(found.count(FindingKind::kParameterOverwritten), 1U);
  EXPECT_EQ(found.count(FindingKind::kOverlap), 1U);
  EXPECT_EQ(found.count(FindingKind::kNotLiveOut), 1U);
}

TEST_F(CheckChain, DemandsThatResultsOutliveTheProgram) {
  assignment_.allocations[1].maybe_live_out = false;
  ExpectOnly(FindingKind::kNotLiveOut);
}

TEST_F(CheckChain, DemandsTheValuesMemorySpaceAndThread) {
  assignment_.allocations[2].color = 1;
  ExpectOnly(FindingKind::kWrongColor);
  assignment_.allocations[2].color = 0;
  assignment_.allocations[2].is_thread_local = true;
  ExpectOnly(FindingKind::kWrongThread);
}

TEST_F(CheckChain, DerivesLivesFromTheSchedule) {
  for (AssignedValue& each : assignment_.values) each.live = {};
  EXPECT_TRUE(Check().ok());
  assignment_.sequence.clear();  // the module's order is used
  EXPECT_TRUE(Check().ok());
  value(3).offset = 32;
  ExpectOnly(FindingKind::kOverlap);
}

TEST_F(CheckChain, FindsUsesBeforeDefinitions) {
  for (AssignedValue& each : assignment_.values) each.live = {};
  std::swap(assignment_.sequence[1], assignment_.sequence[2]);
  EXPECT_GT(Check().count(FindingKind::kUsedBeforeDefined), 0U);
}

TEST_F(CheckChain, CountsAllAndKeepsSome) {
  for (AssignedValue& each : assignment_.values) each.size = 1;
  const AssignmentFindings found =
      CheckAssignment(assignment_, &module_, {.rules = CheckRules::kCpu, .max_findings = 2});
  EXPECT_EQ(found.total, 5U);
  EXPECT_EQ(found.findings.size(), 2U);
}

TEST_F(CheckChain, WithoutModuleSeesWhatIsPrinted) {
  const auto check = [&] {
    return CheckAssignment(assignment_, nullptr, {.rules = CheckRules::kCpu});
  };
  EXPECT_TRUE(check().ok());
  EXPECT_GT(check().coverage.unproven_pairs, 0U);  // nothing shows how n is computed
  value(3).live = {2, 4};
  value(3).offset = 32;
  EXPECT_EQ(check().count(FindingKind::kOverlap), 2U);
}

// A donated buffer updated in place, step by step.
constexpr std::string_view kUpdates =
    R"(HloModule updates, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }

ENTRY main {
  p = f32[16]{0} parameter(0)
  u = f32[4]{0} parameter(1)
  i = s32[] parameter(2)
  ROOT d = f32[16]{0} dynamic-update-slice(p, u, i)
}
)";

TEST(CheckAssignment, AliasesAreOnePieceOfMemory) {
  const Module module = ReadHloText(kUpdates).module;
  Allocation donated = Parameter(64, 0);
  donated.maybe_live_out = true;
  const auto make = [&](uint32_t allocation) {
    return Make({donated, Parameter(16, 1), Parameter(4, 2), Output(64)},
                {{"p", "f32[16]{0}", 0, 0, 64, {0, 3}},
                 {"u", "f32[4]{0}", 1, 0, 16, {0, 4}},
                 {"i", "s32[]", 2, 0, 4, {0, 4}},
                 {"d", "f32[16]{0}", allocation, 0, 64, {3, 4}}},
                {"p", "u", "i", "d"});
  };
  const AssignmentFindings sound = CheckAssignment(make(0), &module, {.rules = CheckRules::kCpu});
  EXPECT_TRUE(sound.ok()) << sound.findings[0].explanation;
  const AssignmentFindings apart = CheckAssignment(make(3), &module, {.rules = CheckRules::kCpu});
  EXPECT_EQ(apart.total, 1U);
  EXPECT_EQ(apart.count(FindingKind::kAliasApart), 1U);
}

// Whether `over`, l or m of the left branch, may be stored over e, whose printed live range lasts
// until the conditional ends. The branches take `operands`; `o` follows the conditional d.
bool BranchMayOverwrite(std::string_view over, const std::string& operands,
                        const std::string& m = "negate(l)", const std::string& o = "sqrt(d)") {
  const Module module = ReadHloText(R"(HloModule branches, is_scheduled=true

left {
  x = f32[16]{0} parameter(0)
  l = f32[16]{0} reverse(x), dimensions={0}
  ROOT m = f32[16]{0} )" + m + R"(
}

right {
  y = f32[16]{0} parameter(0)
  ROOT w = f32[16]{0} sine(y)
}

ENTRY main {
  i = s32[] parameter(0)
  p = f32[16]{0} parameter(1)
  e = f32[16]{0} exponential(p)
  c = f32[16]{0} cosine(p)
  d = f32[16]{0} conditional(i, )" + operands +
                                    R"(), branch_computations={left, right}
  ROOT o = f32[16]{0} )" + o + "\n}\n")
                            .module;
  const std::string_view shape = "f32[16]{0}";
  const bool is_l = over == "l";
  // The results of the branches are the conditional's.
  const int64_t result = is_l ? 192 : 0;
  const Assignment assignment = Make({Parameter(4, 0), Parameter(64, 1), Output(64), Temp(256)},
                                     {{"i", "s32[]", 0, 0, 4, {0, 11}},
                                      {"p", shape, 1, 0, 64, {0, 11}},
                                      {"e", shape, 3, 0, 64, {2, is_l ? 9 : 8}},
                                      {"c", shape, 3, 64, 64, {3, 9}},
                                      {"l", shape, 3, is_l ? 0 : 128, 64, {5, 6}},
                                      {"m", shape, 3, result, 64, {6, 7}},
                                      {"w", shape, 3, result, 64, {8, 9}},
                                      {"d", shape, 3, result, 64, {9, 10}},
                                      {"o", shape, 2, 0, 64, {10, 11}}},
                                     {"i", "p", "e", "c", "x", "l", "m", "y", "w", "d", "o"});
  const AssignmentFindings found =
      CheckAssignment(assignment, &module, {.rules = CheckRules::kTpu});
  return found.count(FindingKind::kOverlap) == 0;
}

TEST(CheckAssignment, ABranchMayOverwriteWhatOnlyOthersRead) {
  EXPECT_TRUE(BranchMayOverwrite("l", "c, e"));
  EXPECT_FALSE(BranchMayOverwrite("l", "c, e", "negate(l)", "add(d, e)"));
  // l itself reads e, and does not in place.
  EXPECT_FALSE(BranchMayOverwrite("l", "e, c"));
  EXPECT_FALSE(BranchMayOverwrite("l", "e, e"));
  // m overwrites e after l was the last to read it, or together with l.
  EXPECT_TRUE(BranchMayOverwrite("m", "e, c"));
  EXPECT_FALSE(BranchMayOverwrite("m", "e, c", "reverse(x), dimensions={0}"));
  EXPECT_TRUE(BranchMayOverwrite("m", "e, c", "add(l, x)"));
}

TEST(CheckAssignment, OnlyStateOfAsyncCallsMayOverlap) {
  Assignment overlapping = Make(
      {Temp(64)}, {{"a", "f32[16]{0}", 0, 0, 64, {0, 2}}, {"b", "f32[16]{0}", 0, 0, 64, {1, 3}}},
      {"a", "b", "c"});
  for (AssignedValue& value : overlapping.values) {
    value.index = overlapping.Index(std::vector<int64_t>{2, 0});
  }
  // Text does not tell whether these are async calls, so only a TPU's program gets the benefit.
  const auto overlaps = [&](const Module* module, CheckRules rules) {
    return CheckAssignment(overlapping, module, {.rules = rules}).count(FindingKind::kOverlap);
  };
  EXPECT_EQ(overlaps(nullptr, CheckRules::kTpu), 0U);
  EXPECT_EQ(overlaps(nullptr, CheckRules::kAny), 1U);
  EXPECT_EQ(overlaps(nullptr, CheckRules::kGpu), 1U);
  // A module does: these are tuples of custom calls.
  const Module module = ReadHloText(R"(HloModule calls, is_scheduled=true

ENTRY main {
  a = (f32[], f32[], (f32[16]{0})) custom-call(), custom_call_target="x"
  b = (f32[], f32[], (f32[16]{0})) custom-call(), custom_call_target="x"
  ROOT c = ((f32[], f32[], (f32[16]{0})), (f32[], f32[], (f32[16]{0}))) tuple(a, b)
}
)")
                            .module;
  EXPECT_GT(overlaps(&module, CheckRules::kTpu), 0U);
}

TEST(CheckAssignment, SurvivesNothing) {
  const Assignment empty;
  const Module module;
  EXPECT_TRUE(CheckAssignment(empty, nullptr).ok());
  EXPECT_TRUE(CheckAssignment(empty, &module).ok());
}

}  // namespace
}  // namespace halo
