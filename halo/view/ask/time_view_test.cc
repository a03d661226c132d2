// Tests the requests behind the time view: whatever part of the timeline is asked for and however
// coarse, its slices add up to the step; loops repeat; profiles among the files are compared.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/base/json/json_reader.h"
#include "halo/view/ask/host.h"
#include "halo/view/model/response.h"

namespace halo::view {
namespace {

// A loop of 50 iterations: a product, beside it an all-gather that is longer, another kernel.
constexpr std::string_view kLoop = R"(HloModule step, is_scheduled=true, num_partitions=8

cond {
  c = (s32[], f32[1024,1024], f32[8192,1024]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(50)
  ROOT less = pred[] compare(i, n), direction=LT
}

body {
  s = (s32[], f32[1024,1024], f32[8192,1024]) parameter(0)
  i.1 = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i.1, one)
  x = f32[1024,1024] get-tuple-element(s), index=1
  ag = (f32[1024,1024], f32[8192,1024]) all-gather-start(x), dimensions={0}, replica_groups={{0,1,2,3,4,5,6,7}}, channel_id=1, metadata={op_name="jit(f)/layer/gather" source_file="/x/model.py" source_line=7}
  dot = f32[1024,1024] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/layer/dot" source_file="/x/model.py" source_line=9}
  agd = f32[8192,1024] all-gather-done(ag)
  neg = f32[1024,1024] negate(dot), metadata={op_name="jit(f)/layer/neg" source_file="/x/model.py" source_line=9}
  ROOT t = (s32[], f32[1024,1024], f32[8192,1024]) tuple(next, neg, agd)
}

ENTRY main {
  p = f32[1024,1024] parameter(0)
  zero = s32[] constant(0)
  z = f32[] constant(0)
  b = f32[8192,1024] broadcast(z), dimensions={}
  first = f32[1024,1024] negate(p)
  init = (s32[], f32[1024,1024], f32[8192,1024]) tuple(zero, first, b)
  w = (s32[], f32[1024,1024], f32[8192,1024]) while(init), condition=cond, body=body, backend_config={"known_trip_count":{"n":"50"}}
  ROOT out = f32[1024,1024] get-tuple-element(w), index=1
}
)";

class TimeViewTest : public testing::Test {
 protected:
  uint32_t Open(std::string_view text, std::string name = "t") {
    return host_.Open(SourceBuffer::Copy(text, "test"), std::move(name));
  }
  JsonValue Ask(std::string_view request) {
    return ParseJson(PlainJson(host_.Ask(document_, request))).value_or(JsonValue());
  }
  JsonValue Timeline(std::string_view parameters) {
    return Ask(R"({"ask":"time.timeline","device":"h100")" + std::string(parameters) + "}");
  }
  static double Sum(const JsonValue& timeline, std::string_view key, int64_t track) {
    double sum = 0;
    const std::vector<int64_t> tracks = timeline["track"].AsInts();
    for (size_t i = 0; i < tracks.size(); ++i) {
      if (tracks[i] == track) sum += timeline[key].items[i].AsDouble(0);
    }
    return sum;
  }

  ViewHost host_;
  uint32_t document_ = 0;
};

TEST_F(TimeViewTest, SlicesAddUpToTheStepAtEveryResolution) {
  document_ = Open(kLoop);
  const JsonValue time = Ask(R"({"ask":"time","device":"h100"})");
  const JsonValue& step = time["answer"]["step"];
  const double compute = step["compute_seconds"].AsDouble(0) - step["gap_seconds"].AsDouble(0);
  const double exposed = step["exposed_seconds"].AsDouble(0);
  const double links = exposed + step["hidden_seconds"].AsDouble(0);
  ASSERT_GT(exposed, 0);
  std::vector<size_t> slices;
  for (const int pixels : {1, 7, 60, 1000, 20000}) {
    const JsonValue timeline = Timeline(R"(,"pixels":)" + std::to_string(pixels));
    ASSERT_TRUE(timeline["ok"].AsBool(false)) << timeline["error"].AsString();
    EXPECT_NEAR(Sum(timeline, "busy", 1), compute, 1e-9 * compute) << pixels;
    EXPECT_NEAR(Sum(timeline, "waiting", 1), exposed, 1e-9 * exposed) << pixels;
    EXPECT_NEAR(Sum(timeline, "busy", 2), links, 1e-9 * links) << pixels;
    EXPECT_LE(timeline["track"].items.size(), 4U * static_cast<size_t>(pixels) + 8);
    slices.push_back(timeline["track"].items.size());
  }
  EXPECT_LT(slices.front(), 10U);
  // Two loop iterations' worth of events each: kernels, a wait and a transfer.
  EXPECT_GT(slices.back(), 200U);
}

TEST_F(TimeViewTest, WindowsHoldWhatIsInThem) {
  document_ = Open(kLoop);
  const JsonValue all = Timeline(R"(,"pixels":20000)");
  const double length = all["seconds"].AsDouble(0);
  for (const double share : {0.0, 0.31, 0.5, 0.83}) {
    const double from = share * length, to = (share + 0.1) * length;
    const JsonValue part = Timeline(R"(,"pixels":20000,"from":)" + std::to_string(from * 1e9) +
                                    R"(e-9,"to":)" + std::to_string(to * 1e9) + "e-9");
    size_t expected = 0;
    for (size_t i = 0; i < all["begin"].items.size(); ++i) {
      const double begin = all["begin"].items[i].AsDouble(0), end = all["end"].items[i].AsDouble(0);
      if (end - begin < length / 20000) continue;
      expected += end > from + 1e-12 && begin < to - 1e-12 ? 1 : 0;
    }
    size_t found = 0;
    for (size_t i = 0; i < part["begin"].items.size(); ++i) {
      const double begin = part["begin"].items[i].AsDouble(0);
      const double end = part["end"].items[i].AsDouble(0);
      EXPECT_LT(begin, to);
      EXPECT_GT(end, from);
      found += end - begin >= length / 20000 ? 1 : 0;
    }
    EXPECT_GT(expected, 15U);
    EXPECT_EQ(found, expected) << share;
  }
}

TEST_F(TimeViewTest, ATransferTellsWhenItStartedAndWhenItIsWaitedFor) {
  document_ = Open(kLoop);
  const JsonValue timeline = Timeline(R"(,"pixels":20000)");
  size_t transfers = 0;
  for (size_t i = 0; i < timeline["track"].items.size(); ++i) {
    if (timeline["track"].items[i].AsInt(0) != 2) continue;
    const double begin = timeline["begin"].items[i].AsDouble(0);
    const double end = timeline["end"].items[i].AsDouble(0);
    const double issued = timeline["issued"].items[i].AsDouble(-1);
    const double done = timeline["done"].items[i].AsDouble(-1);
    EXPECT_LE(issued, begin);
    EXPECT_GT(done, issued);
    EXPECT_LT(done, end);  // it is exposed
    ++transfers;
  }
  EXPECT_EQ(transfers, 50U);
}

TEST_F(TimeViewTest, OneInstructionTellsItsSourceAndItsFirstRun) {
  document_ = Open(kLoop);
  const JsonValue ops = Ask(R"({"ask":"time.ops","device":"h100"})");
  std::map<std::string, int64_t> insts;
  for (size_t i = 0; i < ops["names"].items.size(); ++i) {
    insts[std::string(ops["names"].items[i].AsString())] = ops["insts"].AsInts()[i];
  }
  ASSERT_TRUE(insts.contains("dot"));
  const JsonValue dot =
      Ask(R"({"ask":"time.op","device":"h100","inst":)" + std::to_string(insts["dot"]) + "}");
  EXPECT_EQ(dot["runs"].AsInt(0), 50);
  EXPECT_EQ(dot["kind"].AsString(), "product");
  EXPECT_EQ(dot["estimated_by"].AsString(), "model");
  EXPECT_FALSE(dot["confidence"].AsString().empty());
  EXPECT_EQ(dot["cost"]["flops"].AsDouble(0), 2.0 * 1024 * 1024 * 1024);
  EXPECT_GT(dot["begin"].AsDouble(0), 0);
  EXPECT_NEAR(dot["end"].AsDouble(0) - dot["begin"].AsDouble(0), dot["seconds"].AsDouble(0), 1e-12);
  const JsonValue parameter = Ask(R"({"ask":"time.op","inst":0})");
  EXPECT_FALSE(parameter["takes_time"].AsBool(true));
}

TEST_F(TimeViewTest, GroupsAddUp) {
  document_ = Open(kLoop);
  const JsonValue time = Ask(R"({"ask":"time","device":"h100","top":1000})");
  double total = 0;
  for (const JsonValue& op : time["answer"]["ops"].items) total += op["total_seconds"].AsDouble(0);
  for (const std::string_view by : {"scope", "source", "kind", "bound", "estimated_by", "opcode"}) {
    const JsonValue groups =
        Ask(R"({"ask":"time.groups","device":"h100","by":")" + std::string(by) + R"("})");
    double sum = 0;
    for (const JsonValue& each : groups["seconds"].items) sum += each.AsDouble(0);
    EXPECT_NEAR(sum, total, 1e-9 * total) << by;
  }
  const JsonValue lines = Ask(R"({"ask":"time.groups","by":"source"})");
  std::vector<std::string> names;
  for (const JsonValue& each : lines["names"].items) names.emplace_back(each.AsString());
  EXPECT_THAT(names, testing::Contains("x/model.py:9"));
}

TEST_F(TimeViewTest, MemoryIsOnTheSameAxis) {
  document_ = Open(kLoop);
  const JsonValue timeline = Timeline("");
  const JsonValue& at = timeline["memory_at"];
  ASSERT_GT(at.items.size(), 2U);
  for (size_t i = 1; i < at.items.size(); ++i) {
    EXPECT_LE(at.items[i - 1].AsDouble(0), at.items[i].AsDouble(0));
  }
  double most = 0;
  for (const JsonValue& each : timeline["memory_bytes"].items) {
    most = std::max(most, each.AsDouble(0));
  }
  EXPECT_GT(most, 32.0 * 1024 * 1024);
}

TEST_F(TimeViewTest, AProfileAmongTheFilesIsCompared) {
  document_ = Open(kLoop, "module_0001.step.txt");
  std::string csv = "hlo_op,duration_us,step\n";
  for (int i = 0; i < 50; ++i) csv += "dot,40,0\nneg,9,0\n";
  host_.Pair(document_, Open(csv, "steps.csv"));
  const JsonValue time = Ask(R"({"ask":"time","device":"h100"})");
  EXPECT_EQ(time["answer"]["measured"]["op_count"].AsInt(0), 2) << time["profile_problem"].text;
  const JsonValue ops = Ask(R"({"ask":"time.ops","device":"h100"})");
  size_t measured = 0;
  for (size_t i = 0; i < ops["names"].items.size(); ++i) {
    if (ops["names"].items[i].AsString() != "dot") continue;
    EXPECT_NEAR(ops["measured"].items[i].AsDouble(0), 40e-6, 1e-12);
    ++measured;
  }
  EXPECT_EQ(measured, 1U);
}

TEST_F(TimeViewTest, AProfileOfAnotherProgramIsLeftOut) {
  document_ = Open(kLoop, "module_0001.step.txt");
  host_.Pair(document_, Open("hlo_op,duration_us,module\nother,40,elsewhere\n", "steps.csv"));
  const JsonValue time = Ask(R"({"ask":"time","device":"h100"})");
  EXPECT_TRUE(time["ok"].AsBool(false));
  EXPECT_FALSE(time["profile_problem"].AsString().empty());
  EXPECT_TRUE(time["answer"]["measured"].is_null());
}

TEST_F(TimeViewTest, TheOverviewTellsTheStep) {
  document_ = Open(kLoop);
  const JsonValue overview = Ask(R"({"ask":"overview"})");
  const JsonValue& fast = overview["questions"].items[2];
  EXPECT_TRUE(fast["answered"].AsBool(false));
  EXPECT_THAT(std::string(fast["headline"].AsString()), testing::HasSubstr("per step on"));
  EXPECT_THAT(std::string(fast["headline"].AsString()), testing::HasSubstr("bound by"));
  EXPECT_EQ(fast["look"]["view"].AsString(), "time");
}

TEST_F(TimeViewTest, AnUnknownDeviceFails) {
  document_ = Open(kLoop);
  for (const std::string_view ask : {"time", "time.ops", "time.timeline", "time.groups"}) {
    const JsonValue result = Ask(R"({"ask":")" + std::string(ask) + R"(","device":"abacus"})");
    EXPECT_FALSE(result["ok"].AsBool(true));
    EXPECT_THAT(std::string(result["error"].AsString()), testing::HasSubstr("abacus"));
  }
  const JsonValue devices = Ask(R"({"ask":"time.devices"})");
  EXPECT_GT(devices["devices"].items.size(), 10U);
}

}  // namespace
}  // namespace halo::view
