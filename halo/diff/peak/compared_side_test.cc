// What a side of the comparison says about values in memory, and what asking costs where many
// buffers hold one value.
#include "halo/diff/peak/compared_side.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "halo/diff/peak/peak_change.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/explain/origins.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

struct Explained {
  explicit Explained(const std::string& text) {
    TextReadResult read = ReadHloText("HloModule m, is_scheduled=true\n" + text);
    EXPECT_TRUE(read.diagnostics.ok());
    module = std::move(read.module);
    Result<PlannedMemory> plan = PlanMemory(module, {});
    EXPECT_TRUE(plan.ok());
    memory = *std::move(plan);
    bound = std::make_unique<BoundAssignment>(memory.assignment, &module, memory.ids);
    explanation = *ExplainMemory(*bound, Origins(*bound), Backend::kCpu, {});
  }

  [[nodiscard]] StoredKey KeyOf(const StoredValues& stored, std::string_view name) const {
    for (uint32_t i = 0; i < memory.assignment.values.size(); ++i) {
      const InstId inst = bound->value(ValueId(i)).inst;
      if (inst.valid() && module.name_of(module.inst(inst)) == name) return stored.key(ValueId(i));
    }
    ADD_FAILURE() << name;
    return 0;
  }

  Module module;
  PlannedMemory memory;
  std::unique_ptr<BoundAssignment> bound;
  MemoryExplanation explanation;
};

struct ComparedPair {
  ComparedPair(const std::string& a, const std::string& b)
      : before(a),
        after(b),
        programs(before.module, after.module),
        stored_a(programs, ProgramSide::kBefore, *before.bound),
        stored_b(programs, ProgramSide::kAfter, *after.bound) {}

  PeakChange Compare() {
    return ComparePeaks(stored_a, {*before.bound, before.explanation, true}, stored_b,
                        {*after.bound, after.explanation, true});
  }

  Explained before, after;
  MatchedPrograms programs;
  StoredValues stored_a, stored_b;
};

const char* const kCopied =
    "ENTRY e {\n"
    "  a = f32[64]{0} parameter(0)\n"
    "  x = f32[64]{0} exponential(a)\n"
    "  k = f32[64]{0} copy(x)\n"
    "  c = f32[64]{0} custom-call(x, k), custom_call_target=\"both\"\n"
    "  n = f32[64]{0} negate(c)\n"
    "  ROOT r = f32[2]{0} custom-call(n, n), custom_call_target=\"both\"\n"
    "}\n";

TEST(ComparedSide, ValuesByTheirPositionsAndInstructions) {
  ComparedPair pair(kCopied, kCopied);
  ComparedSide side(pair.stored_a, pair.before.explanation);
  const StoredKey x = pair.before.KeyOf(pair.stored_a, "x");
  const StoredKey a = pair.before.KeyOf(pair.stored_a, "a");
  ASSERT_EQ(x, pair.before.KeyOf(pair.stored_a, "k"));
  ASSERT_NE(x, a);

  EXPECT_EQ(side.FactsOf(x).instructions, 2u);
  EXPECT_TRUE(side.FactsOf(x).has_copy);
  EXPECT_FALSE(side.FactsOf(x).in_parameter);
  EXPECT_EQ(side.FactsOf(a).instructions, 1u);
  EXPECT_FALSE(side.FactsOf(a).has_copy);
  EXPECT_TRUE(side.FactsOf(a).in_parameter);

  EXPECT_EQ(side.at_peak().Of(x).positions, 2u);
  EXPECT_FALSE(side.at_peak().Of(x).is_shared);
  EXPECT_FALSE(side.at_peak().Of(x).held);
  EXPECT_EQ(side.at_peak().Of(a).positions, 1u);
  EXPECT_TRUE(side.at_peak().Of(a).held);

  // When the negation writes over its operand.
  side.set_other_time(4);
  EXPECT_EQ(side.at_other_peak().Of(x).positions, 0u);
  EXPECT_TRUE(side.at_other_peak().Of(pair.before.KeyOf(pair.stored_a, "c")).is_shared);
  EXPECT_TRUE(side.at_other_peak().Of(pair.before.KeyOf(pair.stored_a, "n")).is_shared);
  EXPECT_FALSE(side.at_other_peak().Of(a).is_shared);
}

// Computations each of which calls the next one twice: one value is in memory at every level.
std::string Levels(int count) {
  const std::string array = "f32[8]{0}";
  const std::string state = "((f32[8]{0}), f32[8]{0}, s32[])";
  std::string text = "f" + std::to_string(count) + " {\n  q = " + array +
                     " parameter(0)\n  ROOT r = " + array + " negate(q)\n}\n";
  for (int level = count; level-- > 0;) {
    const std::string calls = "), calls=f" + std::to_string(level + 1) + "\n";
    text += "f" + std::to_string(level) + " {\n  q = " + array + " parameter(0)\n";
    text += "  a = " + state + " async-start(q" + calls + "  b = " + array + " async-done(a)\n";
    text +=
        "  c = " + state + " async-start(b" + calls + "  ROOT r = " + array + " async-done(c)\n}\n";
  }
  return text + "ENTRY e {\n  p = " + array + " parameter(0)\n  ROOT r = " + array +
         " call(p), to_apply=f0\n}\n";
}

double SecondsFor(int count) {
  ComparedPair pair(Levels(count), Levels(count / 2));
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(pair.Compare().causes.empty());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count());
  }
  return least;
}

// Eight times the levels may take sixteen times as long; a quadratic cost would be 64 times.
TEST(ComparedSide, TheCostOfOneValueInManyPositionsIsNearLinear) {
  const double small = SecondsFor(1'000);
  EXPECT_LT(SecondsFor(8'000), 16 * small + 0.05);
}

}  // namespace
}  // namespace halo
