// Tests requests about two open programs: states and partners, rows of text, stored values, the
// merged graph.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/base/json/json_reader.h"
#include "halo/view/ask/host.h"
#include "halo/view/model/response.h"

namespace halo::view {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kBefore = R"(HloModule step, is_scheduled=true

fused {
  p = f32[1024] parameter(0)
  q = f32[1024] parameter(1)
  m = f32[1024] multiply(p, q)
  ROOT s = f32[1024] subtract(m, p)
}

ENTRY main {
  x = f32[1024] parameter(0)
  y = f32[1024] parameter(1)
  r = f32[1024] reverse(x), dimensions={0}
  old = f32[1024] sine(r)
  f = f32[1024] fusion(r, y), kind=kLoop, calls=fused
  ROOT out = f32[1024] add(f, old)
}
)";

// Renamed and reordered; `sine` is gone, `cosine` is new in between, `multiply` became `maximum`.
constexpr std::string_view kAfter = R"(HloModule step, is_scheduled=true

kernel.2 {
  p.2 = f32[1024] parameter(0)
  q.2 = f32[1024] parameter(1)
  m.2 = f32[1024] maximum(p.2, q.2)
  ROOT s.2 = f32[1024] subtract(m.2, p.2)
}

ENTRY main.2 {
  y.2 = f32[1024] parameter(1)
  x.2 = f32[1024] parameter(0)
  r.2 = f32[1024] reverse(x.2), dimensions={0}
  f.2 = f32[1024] fusion(r.2, y.2), kind=kLoop, calls=kernel.2
  fresh = f32[1024] tanh(r.2)
  fresh.2 = f32[1024] exponential(fresh)
  ROOT out.2 = f32[1024] add(f.2, fresh.2)
}
)";

class CompareTest : public testing::Test {
 protected:
  uint32_t Open(std::string_view text) {
    return host_.Open(SourceBuffer::Copy(text, "test"), "test");
  }
  JsonValue Ask(uint32_t document, const std::string& request) {
    return ParseJson(PlainJson(host_.Ask(document, request))).value_or(JsonValue());
  }
  // What changed from one to the other.
  JsonValue Compare(std::string_view before, std::string_view after, const std::string& ask,
                    const std::string& more = "") {
    before_ = Open(before);
    after_ = Open(after);
    return Ask(after_,
               R"({"ask":")" + ask + R"(","against":)" + std::to_string(before_) + more + "}");
  }
  // The names of all instructions.
  std::vector<std::string> Names(uint32_t document) {
    std::string ids;
    for (int i = 0; i < 20; ++i) ids += (i == 0 ? "" : ",") + std::to_string(i);
    std::vector<std::string> names;
    const JsonValue result = Ask(document, R"({"ask":"names","ids":[)" + ids + "]}");
    for (const JsonValue& each : result["names"].items) {
      names.emplace_back(each.AsString());
    }
    return names;
  }
  // The state of each instruction by name.
  std::map<std::string, std::string> StatesOf(const JsonValue& result, const char* side,
                                              uint32_t document) {
    const std::vector<std::string> names = Names(document);
    std::map<std::string, std::string> states;
    const std::vector<JsonValue>& column = result[side]["state"].items;
    for (size_t i = 0; i < column.size(); ++i) {
      states[names[i]] = result["states"].items[static_cast<size_t>(column[i].AsInt(0))].AsString();
    }
    return states;
  }

  ViewHost host_;
  uint32_t before_ = 0, after_ = 0;
};

TEST_F(CompareTest, TheDiffIsThatOfTheCommandAndNamesInstructions) {
  const JsonValue result = Compare(kBefore, kAfter, "diff");
  ASSERT_TRUE(result["ok"].AsBool(false));
  EXPECT_FALSE(result["answer"]["same_values"].AsBool(true));
  EXPECT_THAT(std::string(result["answer"]["schema"].AsString()), "halo.diff.v2");
  ASSERT_EQ(result["causes"].items.size(), result["answer"]["causes"].items.size());
  ASSERT_FALSE(result["causes"].items.empty());
  const std::vector<std::string> names = Names(before_);
  std::set<std::string> named;
  for (const JsonValue& cause : result["causes"].items) {
    for (const int64_t inst : cause["before"].AsInts()) {
      named.insert(names[static_cast<size_t>(inst)]);
    }
  }
  EXPECT_TRUE(named.contains("old"));
  // Both are scheduled, so their memory is compared: terms add up.
  const JsonValue& peak = result["answer"]["peak"];
  EXPECT_EQ(peak["bytes"].AsInt(-1), peak["only_after"].AsInt(0) + peak["only_before"].AsInt(0) +
                                         peak["resized"].AsInt(0) + peak["packing"].AsInt(0));
  EXPECT_EQ(result["peak_causes"].items.size(), peak["causes"].items.size());
}

TEST_F(CompareTest, EveryInstructionHasAState) {
  const JsonValue result = Compare(kBefore, kAfter, "diff.insts");
  const auto before = StatesOf(result, "before", before_);
  const auto after = StatesOf(result, "after", after_);
  EXPECT_EQ(before.at("old"), "only");
  EXPECT_EQ(after.at("fresh"), "only");
  EXPECT_EQ(after.at("fresh.2"), "only");
  EXPECT_EQ(before.at("m"), "changed");
  EXPECT_EQ(after.at("m.2"), "changed");
  EXPECT_EQ(before.at("f"), "inside");
  EXPECT_EQ(after.at("f.2"), "inside");
  EXPECT_EQ(before.at("r"), "same");
  EXPECT_EQ(after.at("r.2"), "same");
  // Parameters of kernels only pass values on; they correspond as what they are given does.
  EXPECT_EQ(before.at("p"), "same");
  const std::vector<std::string> names_a = Names(before_), names_b = Names(after_);
  const std::vector<int64_t> partners = result["before"]["partner"].AsInts();
  for (size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == UINT32_MAX) continue;
    EXPECT_EQ(names_a[i] + ".2", names_b[static_cast<size_t>(partners[i])]);
    EXPECT_EQ(result["after"]["partner"].AsInts()[static_cast<size_t>(partners[i])],
              static_cast<int64_t>(i));
  }
}

TEST_F(CompareTest, EveryLineIsInOneRowAndLinkedLinesAreTheSameValue) {
  const JsonValue result = Compare(kBefore, kAfter, "diff.text");
  for (const char* side : {"before", "after"}) {
    std::vector<int64_t> lines;
    for (const int64_t line : result[side].AsInts()) {
      if (line != UINT32_MAX) lines.push_back(line);
    }
    // Each line once, in order.
    for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i], static_cast<int64_t>(i));
    const std::string links = std::string(side) + "_links";
    EXPECT_EQ(lines.size(), result[links].items.size());
  }
  const std::vector<int64_t> before = result["before"].AsInts(), after = result["after"].AsInts();
  const std::vector<int64_t> links = result["before_links"].AsInts();
  size_t aligned = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] == UINT32_MAX || after[i] == UINT32_MAX) continue;
    aligned += links[static_cast<size_t>(before[i])] == after[i] ? 1 : 0;
  }
  // All but `old` and one of the two parameters that changed places.
  EXPECT_EQ(aligned, 15u);
}

TEST_F(CompareTest, StoredValuesMoveAppearAndDisappear) {
  const JsonValue result = Compare(kBefore, kAfter, "diff.memory");
  ASSERT_TRUE(result["ok"].AsBool(false)) << result["error"].AsString();
  std::map<std::string, int64_t> before, after;
  for (const JsonValue& each : result["before"]["totals"].items) {
    before[std::string(each["state"].AsString())] = each["values"].AsInt(-1);
  }
  for (const JsonValue& each : result["after"]["totals"].items) {
    after[std::string(each["state"].AsString())] = each["values"].AsInt(-1);
  }
  EXPECT_EQ(before["only"], 1);
  EXPECT_EQ(after["only"], 2);
  EXPECT_EQ(before["same"], after["same"]);
  EXPECT_EQ(before["moved"], after["moved"]);
  EXPECT_GE(before["same"] + before["moved"], 4);
}

TEST_F(CompareTest, TheMergedGraphShowsWhatIsGone) {
  const JsonValue result = Compare(kBefore, kAfter, "diff.graph");
  ASSERT_TRUE(result["ok"].AsBool(false)) << result["error"].AsString();
  std::map<std::string, std::string> marks;
  const std::vector<JsonValue>& labels = result["nodes"]["label"].items;
  const std::vector<int64_t> mark = result["nodes"]["mark"].AsInts();
  for (size_t i = 0; i < labels.size(); ++i) {
    marks[std::string(labels[i].AsString())] =
        result["marks"].items[static_cast<size_t>(mark[i])].AsString();
  }
  EXPECT_EQ(marks["old"], "gone");
  EXPECT_EQ(marks["fresh"], "new");
  EXPECT_EQ(marks["f.2"], "inside");
  EXPECT_EQ(marks["m.2"], "changed");  // the kernel is open
  EXPECT_EQ(marks["r.2"], "same");     // a neighbour
  // What is gone is linked with what it read and what read it.
  std::set<std::string> edges;
  const std::vector<int64_t> from = result["edges"]["from"].AsInts();
  const std::vector<int64_t> to = result["edges"]["to"].AsInts();
  for (size_t i = 0; i < from.size(); ++i) {
    edges.insert(std::string(labels[static_cast<size_t>(from[i])].AsString()) + ">" +
                 std::string(labels[static_cast<size_t>(to[i])].AsString()));
  }
  EXPECT_TRUE(edges.contains("r.2>old"));
  EXPECT_TRUE(edges.contains("old>out.2"));
  EXPECT_TRUE(edges.contains("fresh.2>out.2"));
}

TEST_F(CompareTest, AProgramIsTheSameAsItself) {
  const JsonValue result = Compare(kBefore, kBefore, "diff");
  EXPECT_TRUE(result["answer"]["same"].AsBool(false));
  EXPECT_TRUE(result["causes"].items.empty());
  const std::string against = R"(","against":)" + std::to_string(before_) + "}";
  const JsonValue insts = Ask(after_, R"({"ask":"diff.insts)" + against);
  for (const JsonValue& each : insts["after"]["state"].items) EXPECT_EQ(each.AsInt(-1), 1);
  const JsonValue text = Ask(after_, R"({"ask":"diff.text)" + against);
  EXPECT_EQ(text["before"].AsInts(), text["after"].AsInts());
  // Nothing to point at: all of the program.
  EXPECT_TRUE(Ask(after_, R"({"ask":"diff.graph)" + against)["whole"].AsBool(false));
}

TEST_F(CompareTest, ResultsDoNotDependOnWhatWasComparedBefore) {
  const JsonValue first = Compare(kBefore, kAfter, "diff");
  const uint32_t one = before_, other = after_;
  const std::string forth = R"({"ask":"diff","against":)" + std::to_string(one) + "}";
  const std::string block = host_.Ask(other, forth);
  const std::string back =
      host_.Ask(one, R"({"ask":"diff","against":)" + std::to_string(other) + "}");
  EXPECT_NE(block, back);
  EXPECT_EQ(block, host_.Ask(other, forth));
  host_.Close(one);
  const JsonValue gone = Ask(other, forth);
  EXPECT_FALSE(gone["ok"].AsBool(true));
  EXPECT_THAT(std::string(gone["error"].AsString()), HasSubstr("no such document"));
}

TEST_F(CompareTest, WithoutAModuleThereIsNothingToCompare) {
  for (const std::string ask : {"diff", "diff.insts", "diff.text", "diff.memory", "diff.graph"}) {
    EXPECT_FALSE(Compare("", kAfter, ask)["ok"].AsBool(true)) << ask;
    EXPECT_FALSE(Compare(kAfter, "nonsense", ask)["ok"].AsBool(true)) << ask;
  }
  const JsonValue result = Ask(Open(kBefore), R"({"ask":"diff"})");
  EXPECT_FALSE(result["ok"].AsBool(true));
}

TEST_F(CompareTest, CallsInACycleAreRefusedInWords) {
  constexpr std::string_view kCycle = R"(HloModule cycle

again {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=again
}

ENTRY main {
  x = f32[4] parameter(0)
  ROOT y = f32[4] call(x), to_apply=again
}
)";
  const JsonValue result = Compare(kCycle, kBefore, "diff");
  EXPECT_THAT(std::string(result["answer"]["refused"].AsString()), HasSubstr("first program"));
  for (const std::string ask : {"diff.insts", "diff.text", "diff.memory", "diff.graph"}) {
    EXPECT_FALSE(Compare(kCycle, kBefore, ask)["error"].AsString("x").empty()) << ask;
  }
}

}  // namespace
}  // namespace halo::view
