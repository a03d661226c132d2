// What replaying causes costs where a library call reads and makes many arrays.
#include "halo/diff/peak/replay.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "halo/memory/assign/assign.h"
#include "halo/memory/explain/origins.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

// A call that reads `count` arrays and makes as many, which are added up.
std::string WideCall(int count) {
  const std::string array = "f32[8]{0}";
  std::string text =
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = " + array + " parameter(0)\n";
  std::string operands, results, sums;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "  x" + n + " = " + array + " negate(p)\n";
    operands += (i == 0 ? "x" : ", x") + n;
    results += (i == 0 ? "" : ", ") + array;
    sums += "  s" + n + " = " + array + " add(g" + n + ", " +
            (i == 0 ? "g0" : "s" + std::to_string(i - 1)) + ")\n";
  }
  text += "  c = (" + results + ") custom-call(" + operands + "), custom_call_target=\"wide\"\n";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "  g" + n + " = " + array + " get-tuple-element(c), index=" + n + "\n";
  }
  return text + sums + "  ROOT r = " + array + " negate(s" + std::to_string(count - 1) + ")\n}\n";
}

struct WideProgram {
  explicit WideProgram(int count) {
    TextReadResult read = ReadHloText(WideCall(count));
    EXPECT_TRUE(read.diagnostics.ok());
    module = std::move(read.module);
    memory = *PlanMemory(module, {});
    bound = std::make_unique<BoundAssignment>(memory.assignment, &module, memory.ids);
    explanation = *ExplainMemory(*bound, Origins(*bound), Backend::kCpu, {});
  }
  Module module;
  PlannedMemory memory;
  std::unique_ptr<BoundAssignment> bound;
  MemoryExplanation explanation;
};

double SecondsToReplay(int count) {
  const WideProgram before(count + count / 8), after(count);
  const MatchedPrograms programs(before.module, after.module);
  StoredValues a(programs, ProgramSide::kBefore, *before.bound);
  StoredValues b(programs, ProgramSide::kAfter, *after.bound);
  PeakChange change = ComparePeaks(a, {*before.bound, before.explanation, true}, b,
                                   {*after.bound, after.explanation, true});
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    PeakChange replayed = change;
    const auto begin = std::chrono::steady_clock::now();
    ReplayCauses(programs, a, b, {}, replayed);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count());
  }
  return least;
}

// Four times the arrays may take eight times as long; a quadratic cost would be sixteen times.
TEST(ReplayCauses, TheCostOfAWideCallIsNearLinear) {
  const double small = SecondsToReplay(250);
  EXPECT_LT(SecondsToReplay(1'000), 8 * small + 0.05);
}

}  // namespace
}  // namespace halo
