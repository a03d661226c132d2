// Advice on modules built so that one change saves a known number of bytes, and the schedules and
// donations that advice is built from.
#include "halo/memory/advise/advise.h"

#include <gtest/gtest.h>

#include "halo/ir/reorder.h"
#include "halo/memory/advise/donation.h"
#include "halo/memory/assign/schedule.h"
#include "halo/memory/backend/device.h"
#include "halo/memory/explain/origins.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

Module Read(const std::string& body, const std::string& header = ", is_scheduled=true") {
  TextReadResult read =
      ReadHloText(SourceBuffer::Copy("HloModule m" + header + "\nENTRY e {\n" + body + "}\n", "m"));
  EXPECT_TRUE(read.diagnostics.ok());
  return std::move(read.module);
}

std::vector<Advice> AdviceFor(const Module& module) {
  AdviseOptions options;
  options.plans = 200;
  const Result<PlannedMemory> planned = PlanMemory(module, options.assign);
  EXPECT_TRUE(planned.ok());
  const BoundAssignment bound(planned->assignment, &module, planned->ids);
  const Origins origins(bound);
  const Result<MemoryExplanation> peak = ExplainMemory(bound, origins, Backend::kCpu, {});
  EXPECT_TRUE(peak.ok());
  std::vector<Advice> advice = Advise(bound, *peak, options);
  // Repeating a change saves what the advice says.
  for (const Advice& each : advice) {
    if (each.change.only_donates()) continue;
    const Result<ChangedPlan> changed = PlanChange(bound, *peak, options, each.change);
    EXPECT_TRUE(changed.ok());
    if (!changed.ok()) continue;
    EXPECT_EQ(planned->assignment.total_bytes - changed->plan.assignment.total_bytes,
              each.bytes_saved);
  }
  return advice;
}

TEST(Advise, DonatesWhatAnOutputIsShapedLike) {
  const std::vector<Advice> advice =
      AdviceFor(Read("x = f32[1024] parameter(0)\nROOT y = f32[1024] negate(x)\n"));
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_EQ(advice[0].kind, AdviceKind::kDonate);
  EXPECT_EQ(advice[0].bytes_saved, 4096);
  EXPECT_EQ(advice[0].parameters, (std::vector<int64_t>{0}));
  EXPECT_EQ(OptionsOf(advice[0].change), "--donate 0");
}

constexpr char kLong[] =
    "  a = f32[1024] reverse(x), dimensions={0}\n"
    "  b = f32[1024] reverse(a), dimensions={0}\n"
    "  c = f32[1024] reverse(b), dimensions={0}\n"
    "  d = f32[1024] custom-call(a, b, c), custom_call_target=\"join\"\n"
    "  s = f32[16] slice(d), slice={[0:16]}\n";

TEST(Advise, RunsLaterWhatIsNeededLater) {
  const std::vector<Advice> advice =
      AdviceFor(Read("x = f32[1024] parameter(0)\n  big = f32[1024] reverse(x), dimensions={0}\n" +
                     std::string(kLong) +
                     "  used = f32[16] slice(big), slice={[0:16]}\n"
                     "  ROOT out = f32[16] add(s, used)\n"));
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice[0].kind, AdviceKind::kMove);
  EXPECT_EQ(advice[0].bytes_saved, 4096);
  EXPECT_EQ(advice[0].what, "run big later, before used");
  EXPECT_EQ(OptionsOf(advice[0].change), "--later big");
}

TEST(Advise, RecomputesWhatIsCheap) {
  const std::vector<Advice> advice = AdviceFor(
      Read("x = f32[1024] parameter(0)\n  big = f32[1024] negate(x)\n"
           "  early = f32[16] slice(big), slice={[0:16]}\n" +
           std::string(kLong) +
           "  used = f32[16] custom-call(big), custom_call_target=\"u\"\n"
           "  ROOT out = f32[16] custom-call(s, used, early), custom_call_target=\"v\"\n"));
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice[0].kind, AdviceKind::kRecompute);
  EXPECT_EQ(advice[0].instructions, (std::vector<std::string>{"big"}));
  EXPECT_EQ(advice[0].cost, "8.0KiB more memory traffic");
  EXPECT_EQ(OptionsOf(advice[0].change), "--recompute big");
}

TEST(Advise, RefusesWhatCannotChange) {
  const Module module = Read("x = f32[1024] parameter(0)\nROOT y = f32[1024] negate(x)\n");
  const Result<PlannedMemory> planned = PlanMemory(module, {});
  ASSERT_TRUE(planned.ok());
  const BoundAssignment bound(planned->assignment, &module, planned->ids);
  const Result<MemoryExplanation> peak = ExplainMemory(bound, Origins(bound), Backend::kCpu, {});
  ASSERT_TRUE(peak.ok());
  ProgramChange change;
  change.recompute = {"y"};
  const Result<ChangedPlan> changed = PlanChange(bound, *peak, {}, change);
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.error().message.substr(0, 24), "\"y\" cannot be recomputed");
}

TEST(Donation, OnePartnerEach) {
  const Module module = Read(
      "a = f32[4] parameter(0)\nb = f32[4] parameter(1)\nc = s32[4] parameter(2)\n"
      "d = f32[4] add(a, b)\nROOT t = (f32[4], f32[]) tuple(d, d)\n");
  const std::vector<DonationChoice> choices = PossibleDonations(module, {});
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].alias.number, 0);
  EXPECT_EQ(choices[0].alias.output_index, (std::vector<int64_t>{0}));
  EXPECT_TRUE(PossibleDonations(module, {choices[0].alias}).empty());
}

TEST(Schedule, EveryOrderIsLegalAndOneIsSmall) {
  // In text order, four large values are live at once; two are enough.
  std::string body = "x = f32[1024] parameter(0)\n";
  for (int i = 0; i < 4; ++i) {
    body +=
        "  big." + std::to_string(i) + " = f32[4096] custom-call(x), custom_call_target=\"m\"\n";
  }
  for (int i = 0; i < 4; ++i) {
    body += "  small." + std::to_string(i) + " = f32[4] slice(big." + std::to_string(i) +
            "), slice={[0:4]}\n";
  }
  body +=
      "  ROOT r = f32[4] custom-call(small.0, small.1, small.2, small.3), "
      "custom_call_target=\"j\"\n";
  const Module module = Read(body, "");
  const BackendRules rules;
  AssignOptions options;
  std::vector<int64_t> totals;
  for (const std::vector<InstId>& order : SchedulesForMemory(module, rules)) {
    Module candidate = module;
    ReorderInstructions(candidate, order);
    for (uint32_t i = 0; i < candidate.insts.size(); ++i) {
      for (const InstId operand : candidate.operands_of(candidate.insts[i])) {
        EXPECT_LT(operand.value, i);
      }
    }
    totals.push_back(AssignBuffers(candidate, options)->total_bytes);
  }
  EXPECT_GT(totals[1], 4 * 16384);  // in text order
  EXPECT_LT(totals[0], 2 * 16384);
}

TEST(Device, Names) {
  EXPECT_EQ(FindMemoryDevice("v5e")->table_rounding, 512);
  EXPECT_EQ(FindMemoryDevice("MI300X")->capacity, int64_t{192} << 30);
  EXPECT_EQ(FindMemoryDevice("abacus"), nullptr);
}

TEST(Device, SmallestFirst) {
  const std::vector<const MemoryDevice*> devices = DevicesOf(Backend::kGpu);
  ASSERT_GT(devices.size(), 10U);
  for (size_t i = 1; i < devices.size(); ++i) {
    EXPECT_LE(devices[i - 1]->capacity, devices[i]->capacity);
    EXPECT_EQ(devices[i]->backend, Backend::kGpu);
  }
  EXPECT_TRUE(DevicesOf(Backend::kCpu).empty());
  EXPECT_EQ(DevicesOf(std::nullopt).size(), MemoryDevices().size());
}

}  // namespace
}  // namespace halo
