// Tests trip counts that no compiler recorded.
#include "halo/analysis/graph/counted_loop.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/analysis/graph/run_counts.h"
#include "halo/base/io/source_buffer.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

std::optional<int64_t> TripsOf(const std::string& first, const std::string& change,
                               const std::string& test) {
  const TextReadResult read = ReadHloText(SourceBuffer::Copy(
      "HloModule m\nbody {\n  s = (s32[], s32[]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  end = s32[] get-tuple-element(s), index=1\n"
      "  two = s32[] constant(2)\n  next = s32[] " +
          change +
          "\n  ROOT r = (s32[], s32[]) tuple(next, end)\n}\n"
          "cond {\n  s.1 = (s32[], s32[]) parameter(0)\n"
          "  i.1 = s32[] get-tuple-element(s.1), index=0\n"
          "  end.1 = s32[] get-tuple-element(s.1), index=1\n  ten = s32[] constant(10)\n"
          "  ROOT go = pred[] " +
          test + "\n}\nENTRY e {\n  p = s32[] parameter(0)\n  first = s32[] " + first +
          "\n  begin = s32[] copy(first)\n  last = s32[] constant(-7)\n"
          "  init = (s32[], s32[]) tuple(begin, last)\n"
          "  ROOT loop = (s32[], s32[]) while(init), condition=cond, body=body\n}\n",
      "m"));
  EXPECT_TRUE(read.diagnostics.ok());
  return KnownTripCount(read.module, read.module.inst(read.module.comp(read.module.entry).root));
}

TEST(CountedLoop, CountsToConstants) {
  EXPECT_EQ(TripsOf("constant(0)", "add(i, two)", "compare(i.1, ten), direction=LT"), 5);
  EXPECT_EQ(TripsOf("constant(0)", "add(two, i)", "compare(i.1, ten), direction=LE"), 6);
  EXPECT_EQ(TripsOf("constant(1)", "add(i, two)", "compare(ten, i.1), direction=GT"), 5);
  EXPECT_EQ(TripsOf("constant(20)", "subtract(i, two)", "compare(i.1, ten), direction=GT"), 5);
  EXPECT_EQ(TripsOf("constant(20)", "subtract(i, two)", "compare(i.1, ten), direction=NE"), 5);
  EXPECT_EQ(TripsOf("constant(12)", "add(i, two)", "compare(i.1, ten), direction=LT"), 0);
  // The end is in the state, which never changes it.
  EXPECT_EQ(TripsOf("constant(-9)", "add(i, two)", "compare(i.1, end.1), direction=LE"), 2);
}

TEST(CountedLoop, LoopsThatDependOnDataHaveNone) {
  EXPECT_EQ(TripsOf("add(p, p)", "add(i, two)", "compare(i.1, ten), direction=LT"), std::nullopt);
  EXPECT_EQ(TripsOf("constant(0)", "multiply(i, two)", "compare(i.1, ten), direction=LT"),
            std::nullopt);
  EXPECT_EQ(TripsOf("constant(0)", "subtract(i, two)", "compare(i.1, ten), direction=LT"),
            std::nullopt);
  EXPECT_EQ(TripsOf("constant(1)", "add(i, two)", "compare(i.1, ten), direction=NE"), std::nullopt);
  EXPECT_EQ(TripsOf("constant(1)", "add(i, i)", "compare(i.1, ten), direction=LT"), std::nullopt);
}

}  // namespace
}  // namespace halo
