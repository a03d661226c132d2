// The change of a step's time between small programs: terms that add up, kernels gathered by what
// happened to them, and the times of causes.
#include "halo/api/diff/step_change.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/api/diff/diff_document.h"
#include "halo/base/io/source_buffer.h"
#include "halo/diff/diff.h"

namespace halo {
namespace {

Document Opened(const std::string& body, const std::string& functions = "",
                const std::string& header = ", is_scheduled=true") {
  const std::string text = "HloModule m" + header + "\n" + functions + "ENTRY e {\n" + body + "}\n";
  return ReadDocument(SourceBuffer::Copy(text, "m.txt"), "m.txt");
}

struct Timed {
  std::shared_ptr<const StepChange> step;
  std::vector<DiffCause> causes;
};

Timed TimesOf(const Document& before, const Document& after, const std::string& device = "h100") {
  const MatchedPrograms programs(before.modules.front().module, after.modules.front().module);
  Timed timed;
  timed.causes = DiffPrograms(programs).causes;
  timed.step = StepOfDocuments(before, after, programs, device, timed.causes);
  return timed;
}

double Terms(const StepChange& change) {
  return change.only_after + change.only_before + change.changed + change.gaps + change.exposed +
         change.stalled;
}

const char* const kPlain =
    "  a = f32[65536]{0} parameter(0)\n"
    "  x = f32[65536]{0} exponential(a)\n"
    "  ROOT r = f32[65536]{0} negate(x)\n";

TEST(StepChangeTest, TheSameProgramTakesTheSameTime) {
  const Document program = Opened(kPlain);
  const Timed timed = TimesOf(program, program);
  ASSERT_NE(timed.step, nullptr);
  EXPECT_GT(timed.step->before, 0);
  EXPECT_EQ(timed.step->seconds(), 0);
  EXPECT_TRUE(timed.step->causes.empty());
  EXPECT_EQ(timed.step->device, "h100");
}

TEST(StepChangeTest, AKernelThatOnlyOneHas) {
  const Document before = Opened(kPlain);
  const Document after = Opened(
      "  a = f32[65536]{0} parameter(0)\n"
      "  x = f32[65536]{0} exponential(a)\n"
      "  t = f32[65536]{0} tanh(x)\n"
      "  ROOT r = f32[65536]{0} negate(t)\n");
  const Timed forth = TimesOf(before, after);
  ASSERT_NE(forth.step, nullptr);
  EXPECT_GT(forth.step->only_after, 0);
  EXPECT_EQ(forth.step->only_before, 0);
  EXPECT_NEAR(forth.step->changed, 0, 1e-12);
  EXPECT_NEAR(Terms(*forth.step), forth.step->seconds(), 1e-12);
  ASSERT_EQ(forth.step->causes.size(), 1u);
  EXPECT_EQ(forth.step->causes[0].places[0].after, "t");
  EXPECT_EQ(forth.step->causes[0].seconds, forth.step->only_after);

  // The cause "tanh added" takes what its kernel takes.
  ASSERT_EQ(forth.causes.size(), 1u);
  ASSERT_TRUE(forth.causes[0].seconds);
  EXPECT_EQ(*forth.causes[0].seconds, forth.step->only_after);

  const Timed back = TimesOf(after, before);
  ASSERT_NE(back.step, nullptr);
  EXPECT_EQ(back.step->only_before, -forth.step->only_after);
  EXPECT_EQ(*back.causes[0].seconds, -*forth.causes[0].seconds);
}

TEST(StepChangeTest, AFusionThatBecameTwoKernels) {
  const Document fused = Opened(
      "  a = f32[65536]{0} parameter(0)\n"
      "  ROOT r = f32[65536]{0} fusion(a), kind=kLoop, calls=f\n",
      "f {\n"
      "  p = f32[65536]{0} parameter(0)\n"
      "  x = f32[65536]{0} exponential(p)\n"
      "  ROOT n = f32[65536]{0} negate(x)\n"
      "}\n");
  const Timed timed = TimesOf(fused, Opened(kPlain));
  ASSERT_NE(timed.step, nullptr);
  EXPECT_GT(timed.step->seconds(), 0);
  EXPECT_NEAR(Terms(*timed.step), timed.step->seconds(), 1e-12);
  ASSERT_EQ(timed.causes.size(), 1u);
  EXPECT_EQ(timed.causes[0].what, "1 fusion became 2 unfused ops");
  ASSERT_TRUE(timed.causes[0].seconds);
  EXPECT_NEAR(*timed.causes[0].seconds, timed.step->only_after + timed.step->changed, 1e-12);
}

TEST(StepChangeTest, NothingWithoutASchedule) {
  const Document program = Opened(kPlain, "", "");
  const Timed timed = TimesOf(program, program);
  EXPECT_EQ(timed.step, nullptr);
}

TEST(StepChangeTest, NothingForAnUnknownDevice) {
  const Document program = Opened(kPlain);
  EXPECT_EQ(TimesOf(program, program, "abacus").step, nullptr);
}

// Without bytes, the cause that takes longer comes first.
TEST(StepChangeTest, TimeDecidesAmongEqualBytes) {
  std::vector<DiffCause> causes(3);
  causes[0].kind = causes[1].kind = causes[2].kind = CauseKind::kConfig;
  causes[0].what = "a";
  causes[1].what = "b";
  causes[1].seconds = 1e-6;
  causes[2].what = "c";
  causes[2].seconds = -2e-6;
  RankCauses(causes);
  EXPECT_EQ(causes[0].what + causes[1].what + causes[2].what, "cba");
  causes[2].bytes = 1;
  RankCauses(causes);
  EXPECT_EQ(causes[0].what, "a");
}

}  // namespace
}  // namespace halo
