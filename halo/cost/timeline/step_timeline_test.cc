// Tests when instructions run: queues, waits, loops, branches, the critical path. Times are given,
// so that every expected figure can be worked out by hand.
#include "halo/cost/timeline/step_timeline.h"

#include <limits>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "halo/cost/timeline/lane.h"
#include "halo/cost/timeline/test/timed_module.h"

namespace halo {
namespace {

class Timed {
 public:
  // Times by instruction name, in kTimeUnit; all others take none.
  Timed(const std::string& text, const std::map<std::string, double>& times,
        std::optional<Backend> backend = Backend::kGpu, double gap = 0)
      : timed_(text, times, backend),
        timeline_(MakeTimeline(timed_.read.module, timed_.cost, timed_.ops,
                               {.backend = backend, .per_node = 8, .gap = gap * kTimeUnit})) {}

  [[nodiscard]] double exposed(std::string_view name) const {
    return timeline_.exposed[timed_.Find(name).index()] / kTimeUnit;
  }
  [[nodiscard]] double critical(std::string_view name) const {
    return timeline_.critical[timed_.Find(name).index()] / kTimeUnit;
  }
  [[nodiscard]] double estimate() const { return timeline_.step.estimate / kTimeUnit; }
  [[nodiscard]] double serial() const { return timeline_.step.serial / kTimeUnit; }
  [[nodiscard]] double exposed() const { return timeline_.step.exposed / kTimeUnit; }
  [[nodiscard]] double hidden() const { return timeline_.step.hidden / kTimeUnit; }
  [[nodiscard]] const Timeline& timeline() const { return timeline_; }

 private:
  TimedModule timed_;
  Timeline timeline_;
};

constexpr const char* kOverlapped = R"(
ENTRY e {
  p = f32[8]{0} parameter(0)
  ags = (f32[8]{0}, f32[32]{0}) all-gather-start(p), replica_groups={{0,1,2,3}}, dimensions={0}
  k1 = f32[8]{0} negate(p)
  agd = f32[32]{0} all-gather-done(ags)
  k2 = f32[32]{0} negate(agd)
  ROOT t = (f32[8]{0}, f32[32]{0}) tuple(k1, k2)
})";

TEST(Timeline, ADoneWaitsForWhatIsLeftOfItsStart) {
  const Timed timed(kOverlapped, {{"ags", 10}, {"k1", 4}, {"k2", 3}});
  EXPECT_EQ(timed.estimate(), 13);
  EXPECT_EQ(timed.serial(), 17);
  EXPECT_EQ(timed.exposed(), 6);
  EXPECT_EQ(timed.hidden(), 4);
  EXPECT_EQ(timed.exposed("ags"), 6);
  // The kernel beside the collective is not on the critical path.
  EXPECT_EQ(timed.critical("ags"), 10);
  EXPECT_EQ(timed.critical("k1"), 0);
  EXPECT_EQ(timed.critical("k2"), 3);
}

TEST(Timeline, HiddenCommunicationCostsNothing) {
  const Timed timed(kOverlapped, {{"ags", 3}, {"k1", 4}, {"k2", 3}});
  EXPECT_EQ(timed.estimate(), 7);
  EXPECT_EQ(timed.exposed(), 0);
  EXPECT_EQ(timed.critical("ags"), 0);
  EXPECT_EQ(timed.critical("k1"), 4);
}

TEST(Timeline, GapsAreBetweenKernels) {
  const Timed timed(kOverlapped, {{"k1", 4}, {"k2", 3}}, Backend::kGpu, 1);
  EXPECT_EQ(timed.estimate(), 9);
  EXPECT_EQ(timed.timeline().step.gaps / kTimeUnit, 2);
  EXPECT_EQ(timed.serial(), 9);
}

// Two collectives in one queue: the second waits for the first, which gets the blame.
constexpr const char* kQueued = R"(
ENTRY e {
  p = f32[8]{0} parameter(0)
  a = (f32[8]{0}, f32[32]{0}) all-gather-start(p), replica_groups={{0,1,2,3}}, dimensions={0}
  b = (f32[8]{0}, f32[32]{0}) all-gather-start(p), replica_groups={{0,1,2,3}}, dimensions={0}
  k = f32[8]{0} negate(p)
  bd = f32[32]{0} all-gather-done(b)
  ad = f32[32]{0} all-gather-done(a)
  c = (f32[8]{0}, f32[8]{0}, u32[]) copy-start(p)
  cd = f32[8]{0} copy-done(c)
  ROOT t = (f32[8]{0}, f32[32]{0}, f32[32]{0}, f32[8]{0}) tuple(k, bd, ad, cd)
})";

TEST(Timeline, CollectivesOnTheSameLinksQueue) {
  const Timed timed(kQueued, {{"a", 10}, {"b", 2}, {"k", 4}, {"c", 5}});
  EXPECT_EQ(timed.estimate(), 17);
  EXPECT_EQ(timed.exposed("a"), 6);
  EXPECT_EQ(timed.exposed("b"), 2);
  EXPECT_EQ(timed.exposed(), 8);
  EXPECT_EQ(timed.exposed("c"), 5);  // a copy that nothing hides is no communication
  EXPECT_EQ(timed.timeline().step.stalled / kTimeUnit, 5);
  EXPECT_EQ(timed.critical("a"), 10);
  EXPECT_EQ(timed.critical("b"), 2);
}

constexpr const char* kLoop = R"(
body {
  s = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8]{0} get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  st = (f32[8]{0}, f32[8]{0}) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
  k = f32[8]{0} negate(x)
  dn = f32[8]{0} collective-permute-done(st)
  y = f32[8]{0} add(k, dn)
  ROOT r = (s32[], f32[8]{0}) tuple(next, y)
}
cond {
  s.1 = (s32[], f32[8]{0}) parameter(0)
  i.1 = s32[] get-tuple-element(s.1), index=0
  n = s32[] constant(1000000)
  ROOT go = pred[] compare(i.1, n), direction=LT
}
ENTRY e {
  p = f32[8]{0} parameter(0)
  zero = s32[] constant(0)
  gs = (f32[8]{0}, f32[32]{0}) all-gather-start(p), replica_groups={{0,1,2,3}}, dimensions={0}
  init = (s32[], f32[8]{0}) tuple(zero, p)
  loop = (s32[], f32[8]{0}) while(init), condition=cond, body=body
  gd = f32[32]{0} all-gather-done(gs)
  ROOT out = f32[8]{0} get-tuple-element(loop), index=1
})";

TEST(Timeline, LoopsAreMultipliedNotUnrolled) {
  // An iteration takes 2 + 5 + 1: the permute's last microsecond is exposed.
  const Timed timed(kLoop, {{"st", 6}, {"k", 5}, {"y", 1}, {"go", 2}});
  EXPECT_EQ(timed.estimate(), 1000000.0 * 9 + 2);
  EXPECT_EQ(timed.exposed("st"), 1000000.0);
  EXPECT_LT(timed.timeline().events.size(), 100U);
  EXPECT_EQ(timed.timeline().event_count, 1000000.0 * 5 + 2);  // and the loop, the last condition
}

TEST(Timeline, WorkUnderWayDelaysTheFirstIterations) {
  // The gather keeps the queue busy for 23: the first permute begins at 23 and is waited for until
  // 29, the others begin at once.
  const Timed timed(kLoop, {{"gs", 23}, {"st", 6}, {"k", 5}, {"y", 1}, {"go", 2}});
  EXPECT_EQ(timed.estimate(), 1000000.0 * 9 + 2 + (29 - 8));
  EXPECT_EQ(timed.exposed("gs"), 23 - 7);
  EXPECT_EQ(timed.exposed("st"), 1000000.0 + 5);
  EXPECT_EQ(timed.exposed("gs") + timed.exposed("st"), timed.exposed());
}

TEST(Timeline, WorkInTheStateOfALoopIsHiddenBehindTheNextIteration) {
  const Timed timed(R"(
body {
  s = (s32[], (f32[8]{0}, f32[8]{0}), f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  before = (f32[8]{0}, f32[8]{0}) get-tuple-element(s), index=1
  x = f32[8]{0} get-tuple-element(s), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  k = f32[8]{0} negate(x)
  dn = f32[8]{0} collective-permute-done(before)
  st = (f32[8]{0}, f32[8]{0}) collective-permute-start(k), source_target_pairs={{0,1},{1,0}}
  y = f32[8]{0} add(k, dn)
  ROOT r = (s32[], (f32[8]{0}, f32[8]{0}), f32[8]{0}) tuple(next, st, y)
}
cond {
  s.1 = (s32[], (f32[8]{0}, f32[8]{0}), f32[8]{0}) parameter(0)
  i.1 = s32[] get-tuple-element(s.1), index=0
  n = s32[] constant(100)
  ROOT go = pred[] compare(i.1, n), direction=LT
}
ENTRY e {
  p = f32[8]{0} parameter(0)
  zero = s32[] constant(0)
  first = (f32[8]{0}, f32[8]{0}) collective-permute-start(p), source_target_pairs={{0,1},{1,0}}
  init = (s32[], (f32[8]{0}, f32[8]{0}), f32[8]{0}) tuple(zero, first, p)
  loop = (s32[], (f32[8]{0}, f32[8]{0}), f32[8]{0}) while(init), condition=cond, body=body
  last = (f32[8]{0}, f32[8]{0}) get-tuple-element(loop), index=1
  ld = f32[8]{0} collective-permute-done(last)
  ROOT out = f32[8]{0} get-tuple-element(loop), index=2
})",
                    {{"first", 9}, {"st", 9}, {"k", 5}, {"y", 2}});
  // 4 of the first permute are exposed, 2 of each that follows, 7 of the last.
  EXPECT_EQ(timed.exposed("first"), 4);
  EXPECT_EQ(timed.exposed("st"), 99 * 2 + 7);
  EXPECT_EQ(timed.estimate(), 100 * 7 + 4 + 99 * 2 + 7);
}

TEST(Timeline, TheSlowestBranchCounts) {
  const Timed timed(R"(
a { x = f32[8]{0} parameter(0)
  ROOT ka = f32[8]{0} negate(x) }
b { z = f32[8]{0} parameter(0)
  ROOT kb = f32[8]{0} all-gather(z), replica_groups={{0,1,2,3}}, dimensions={0} }
ENTRY e {
  q = pred[] parameter(0)
  p = f32[8]{0} parameter(1)
  ROOT c = f32[8]{0} conditional(q, p, p), true_computation=a, false_computation=b
})",
                    {{"ka", 4}, {"kb", 3}});
  EXPECT_EQ(timed.estimate(), 4);
  EXPECT_EQ(timed.exposed(), 0);
  EXPECT_EQ(timed.exposed("kb"), 0);
}

TEST(Timeline, AsyncComputationsRunBesideKernels) {
  const Timed timed(R"(
wrapped { x = f32[8]{0} parameter(0)
  ROOT g = f32[32]{0} all-gather(x), replica_groups={{0,1,2,3}}, dimensions={0} }
ENTRY e {
  p = f32[8]{0} parameter(0)
  s = ((f32[8]{0}), f32[32]{0}) async-start(p), calls=wrapped
  k = f32[8]{0} negate(p)
  d = f32[32]{0} async-done(s)
  ROOT t = (f32[8]{0}, f32[32]{0}) tuple(k, d)
})",
                    {{"g", 7}, {"k", 5}});
  EXPECT_EQ(timed.estimate(), 7);
  EXPECT_EQ(timed.exposed("g"), 2);
  EXPECT_EQ(timed.hidden(), 5);
}

TEST(Timeline, TotalsAreInOrder) {
  for (const char* text : {kOverlapped, kQueued, kLoop}) {
    const Timed timed(text, {{"p", 3.3}}, Backend::kTpu, 0.7);
    const StepTime& step = timed.timeline().step;
    EXPECT_LE(step.floor, step.estimate);
    EXPECT_LE(step.estimate, step.serial);
    EXPECT_EQ(step.compute + step.exposed + step.stalled, step.estimate);
  }
}

TEST(Timeline, SecondsAreExact) {
  EXPECT_EQ(ExactSeconds(0.1) * 1000, ExactSeconds(0.1) * 500 + ExactSeconds(0.1) * 500);
  EXPECT_NEAR(ExactSeconds(1e-6), 1e-6, 1e-14);
  EXPECT_EQ(ExactSeconds(-1), 0);
  EXPECT_EQ(ExactSeconds(std::numeric_limits<double>::infinity()), 1e9);
}

}  // namespace
}  // namespace halo
