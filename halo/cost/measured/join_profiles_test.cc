// Which program is chosen, how executions are told apart, and what a calibration corrects.
#include "halo/cost/measured/join_profiles.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "halo/cost/measured/calibration.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

constexpr std::string_view kStep = R"(HloModule step, is_scheduled=true
body { s = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8]{0} get-tuple-element(s), index=1
  y = f32[8]{0} negate(x)
  ROOT t = (s32[], f32[8]{0}) tuple(i, y) }
cond { c = (s32[], f32[8]{0}) parameter(0)
  ROOT go = pred[] constant(false) }
ENTRY main { p = f32[8]{0} parameter(0)
  zero = s32[] constant(0)
  a = f32[8]{0} exponential(p)
  init = (s32[], f32[8]{0}) tuple(zero, a)
  loop = (s32[], f32[8]{0}) while(init), condition=cond, body=body, backend_config={"known_trip_count":{"n":"2"}}
  ROOT r = f32[8]{0} get-tuple-element(loop), index=1 })";

class JoinProfilesTest : public ::testing::Test {
 protected:
  JoinProfilesTest() : read_(ReadHloText(SourceBuffer::Copy(kStep, "step"))) {
    EXPECT_TRUE(read_.diagnostics.ok());
  }

  // Adds an event of `microseconds`; one op follows the other.
  void Add(std::string_view op, uint32_t program, int64_t microseconds) {
    ProfileEvent event;
    event.op = builder_.Op(op);
    event.program = program;
    event.device = builder_.Device("d");
    event.start = at_;
    event.duration = microseconds * 1'000'000;
    at_ += event.duration;
    builder_.profile.events.push_back(event);
  }

  MeasuredModule Join(const ProfileJoinOptions& options = {}) {
    const Profile profile = builder_.Take();
    return JoinProfiles(read_.module, CountRuns(read_.module), {&profile, 1}, options);
  }

  const MeasuredInst& Of(const MeasuredModule& measured, std::string_view name) {
    for (uint32_t i = 0; i < read_.module.insts.size(); ++i) {
      if (read_.module.name_of(read_.module.insts[i]) == name) return measured.insts[i];
    }
    ADD_FAILURE() << "no instruction " << name;
    return measured.insts[0];
  }

  TextReadResult read_;
  ProfileBuilder builder_;
  int64_t at_ = 0;
};

TEST_F(JoinProfilesTest, CountsExecutionsByTripCounts) {
  const uint32_t program = builder_.Program("step", 3);
  for (const int64_t slower : {0, 0, 100}) {
    Add("a", program, 10 + slower);
    Add("y", program, 4);
    Add("y", program, 6);
  }
  const MeasuredModule measured = Join();
  EXPECT_EQ(measured.joined, 9U);
  EXPECT_EQ(measured.steps, 3U);
  EXPECT_DOUBLE_EQ(Of(measured, "a").seconds, 10e-6);
  EXPECT_DOUBLE_EQ(Of(measured, "y").seconds, 5e-6);
  EXPECT_DOUBLE_EQ(measured.step_seconds, 20e-6);
  EXPECT_DOUBLE_EQ(measured.longest_step, 120e-6);
}

TEST_F(JoinProfilesTest, OneStepOnly) {
  const uint32_t program = builder_.Program("step", 3);
  for (const int64_t time : {1, 2, 3}) Add("a", program, time);
  const MeasuredModule measured = Join({.program = {}, .step = 1});
  EXPECT_EQ(measured.joined, 1U);
  EXPECT_EQ(measured.other_steps, 2U);
  EXPECT_DOUBLE_EQ(Of(measured, "a").seconds, 2e-6);
}

TEST_F(JoinProfilesTest, TheNumberDecidesBetweenProgramsOfOneName) {
  const uint32_t first = builder_.Program("step", 3), second = builder_.Program("step", 4);
  Add("a", first, 1);
  Add("a", first, 1);
  Add("a", second, 7);
  Add("gone", second, 7);
  const MeasuredModule measured = Join({.program = 4, .step = {}});
  EXPECT_EQ(measured.programs, std::vector<std::string>{"step(4)"});
  EXPECT_EQ(measured.other_programs, 2U);
  ASSERT_EQ(measured.unknown.size(), 1U);
  EXPECT_EQ(measured.unknown[0].name, "gone");
  EXPECT_DOUBLE_EQ(Of(measured, "a").seconds, 7e-6);
}

TEST_F(JoinProfilesTest, AnotherNameCountsOnlyIfItsOpsAreHere) {
  Add("a", builder_.Program("renamed", {}), 1);
  EXPECT_EQ(Join().why, "by the names of its ops");
  builder_ = {};
  const uint32_t other = builder_.Program("other", {});
  Add("a", other, 1);
  Add("b", other, 1);
  const MeasuredModule measured = Join();
  EXPECT_EQ(measured.joined, 0U);
  EXPECT_EQ(measured.why, "the profile has events of other");
}

TEST(CalibrationTest, FactorsAreRatiosOfSumsAndSurviveTheFile) {
  CalibrationSums sums;
  sums.Add(KernelKind::kLoop, 3, 1);
  sums.Add(KernelKind::kLoop, 3, 2);
  Calibration fitted = sums.Fit();
  fitted.device = "h100";
  fitted.step = 1.25;
  const Result<Calibration> read = ReadCalibration(CalibrationJson(fitted));
  ASSERT_TRUE(read);
  OpTime time{.seconds = 1, .low = 1, .high = 2, .floor = 0.5};
  read->Apply(KernelKind::kLoop, time);
  EXPECT_DOUBLE_EQ(time.seconds, 2);
  EXPECT_DOUBLE_EQ(time.high, 4);
  EXPECT_DOUBLE_EQ(time.floor, 0.5);
  EXPECT_EQ(time.source, TimeSource::kCalibrated);
  time.source = TimeSource::kModel;
  read->Apply(KernelKind::kProduct, time);  // which was not measured
  EXPECT_EQ(time.source, TimeSource::kModel);
  StepTime step;
  step.estimate = 4;
  read->Apply(step);
  EXPECT_DOUBLE_EQ(step.estimate, 5);
}

}  // namespace
}  // namespace halo
