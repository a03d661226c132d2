// Tests the requests behind the memory view: ranges, plans that follow advice, warnings by size.
#include <functional>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/base/json/json_reader.h"
#include "halo/view/ask/host.h"
#include "halo/view/model/response.h"

namespace halo::view {
namespace {

// At `d`, four values of 4 KiB are live; `big` is not needed before `used`.
constexpr std::string_view kLateUse = R"(HloModule late, is_scheduled=true

ENTRY main {
  x = f32[1024] parameter(0)
  big = f32[1024] reverse(x), dimensions={0}, metadata={op_name="jit(f)/block/rev" source_file="/x/model.py" source_line=7}
  a = f32[1024] reverse(x), dimensions={0}
  b = f32[1024] reverse(a), dimensions={0}
  c = f32[1024] reverse(b), dimensions={0}
  d = f32[1024] custom-call(a, b, c), custom_call_target="join"
  s = f32[16] slice(d), slice={[0:16]}
  used = f32[16] slice(big), slice={[0:16]}
  ROOT out = f32[16] add(s, used)
}
)";

class MemoryViewTest : public testing::Test {
 protected:
  void Open(std::string_view text) {
    document_ = host_.Open(SourceBuffer::Copy(text, "test"), "t");
  }
  JsonValue Ask(std::string_view request) {
    return ParseJson(PlainJson(host_.Ask(document_, request))).value_or(JsonValue());
  }

  ViewHost host_;
  uint32_t document_ = 0;
};

TEST_F(MemoryViewTest, ARectangleAndItsValueTellTheSameRange) {
  Open(kLateUse);
  const JsonValue map = Ask(R"({"ask":"memory.map"})");
  const std::vector<int64_t> values = map["value"].AsInts();
  ASSERT_GT(values.size(), 5U);
  for (size_t i = 0; i < values.size(); ++i) {
    const JsonValue value =
        Ask(R"({"ask":"memory.value","value":)" + std::to_string(values[i]) + "}");
    EXPECT_EQ(map["from"].AsInts()[i], value["from"].AsInt(-1)) << value["name"].AsString();
    EXPECT_EQ(map["to"].AsInts()[i], value["to"].AsInt(-1)) << value["name"].AsString();
  }
}

TEST_F(MemoryViewTest, ParametersAreOneScope) {
  Open(kLateUse);
  const JsonValue map = Ask(R"({"ask":"memory.map","by":"scope"})");
  std::vector<std::string> groups;
  for (const JsonValue& each : map["groups"].items) groups.emplace_back(each.AsString());
  EXPECT_THAT(groups, testing::Contains("(parameters)"));
}

TEST_F(MemoryViewTest, AdviceIsShownAsThePlanThatFollowsIt) {
  Open(kLateUse);
  const JsonValue before = Ask(R"({"ask":"memory.map"})");
  const JsonValue memory = Ask(R"({"ask":"memory"})");
  const JsonValue& advice = memory["answer"]["advice"];
  ASSERT_FALSE(advice.items.empty());
  for (size_t i = 0; i < advice.items.size(); ++i) {
    const std::string plan = R"("plan":"advice-)" + std::to_string(i) + R"("})";
    const JsonValue map = Ask(R"({"ask":"memory.map",)" + plan);
    ASSERT_TRUE(map["ok"].AsBool(false)) << map["error"].AsString();
    EXPECT_EQ(map["device_bytes_before"].AsInt(0), before["device_bytes"].AsInt(-1));
    EXPECT_EQ(map["device_bytes_before"].AsInt(0) - map["device_bytes"].AsInt(0),
              advice.items[i]["bytes_saved"].AsInt(-1));
    ASSERT_EQ(map["assumptions"].items.size(), 1U);
    EXPECT_NE(map["assumptions"].items[0].AsString(), "");
    // Its values are those of the program that is open.
    const JsonValue value = Ask(R"({"ask":"memory.value","value":0,)" + plan);
    EXPECT_LT(value["inst"].AsInt(-1), 9) << value["name"].AsString();
  }
  EXPECT_EQ(advice.items[0]["bytes_saved"].AsInt(0), 4096);
  EXPECT_FALSE(Ask(R"({"ask":"memory.map","plan":"advice-99"})")["ok"].AsBool(true));
  EXPECT_FALSE(Ask(R"({"ask":"memory.map","plan":"advice-"})")["ok"].AsBool(true));
  EXPECT_FALSE(Ask(R"({"ask":"memory.map","plan":"advice-1x"})")["ok"].AsBool(true));
}

TEST_F(MemoryViewTest, ItemsAtAPositionAddUp) {
  Open(kLateUse);
  const JsonValue map = Ask(R"({"ask":"memory.map"})");
  const int64_t last = map["last"].AsInt(-1);
  ASSERT_GT(last, 5);
  for (int64_t at = 0; at <= last; ++at) {
    const JsonValue range = Ask(R"({"ask":"memory.range","from":)" + std::to_string(at) + "}");
    int64_t bytes = 0;
    for (const JsonValue& item : range["items"].items) bytes += item["bytes"].AsInt(0);
    EXPECT_EQ(bytes, range["at"]["bytes"].AsInt(-1)) << at;
    EXPECT_EQ(range["peak"]["position"].AsInt(-1), at);
  }
}

TEST_F(MemoryViewTest, ARangeTellsWhatComesAndGoes) {
  Open(kLateUse);
  // From `b` to `d`.
  const JsonValue range = Ask(R"({"ask":"memory.range","from":3,"to":5})");
  std::map<std::string, std::string, std::less<>> changes;
  for (const JsonValue& item : range["items"].items) {
    changes[std::string(item["name"].AsString())] = item["change"].AsString();
  }
  EXPECT_EQ(changes["x"], "through");
  EXPECT_EQ(changes["big"], "through");
  EXPECT_EQ(changes["a"], "freed");
  EXPECT_EQ(changes["b"], "within");
  EXPECT_EQ(changes["c"], "within");
  EXPECT_EQ(changes["d"], "allocated");
  int64_t values = 0;
  for (const JsonValue& change : range["changes"].items) values += change["values"].AsInt(0);
  EXPECT_EQ(values, range["total"].AsInt(-1));
  EXPECT_EQ(range["peak"]["instruction"].AsString(), "d");
  for (const JsonValue& item : range["items"].items) {
    if (item["name"].AsString() != "big") continue;
    EXPECT_EQ(item["scope"].AsString(), "block");
    EXPECT_THAT(std::string(item["source"].AsString()), testing::HasSubstr("model.py:7"));
  }
}

TEST_F(MemoryViewTest, DevicesHaveABackendAndASize) {
  Open(kLateUse);
  const JsonValue result = Ask(R"({"ask":"devices"})");
  ASSERT_GT(result["devices"].items.size(), 10U);
  for (const JsonValue& device : result["devices"].items) {
    EXPECT_GE(device["bytes"].AsInt(0), int64_t{1} << 30) << device["name"].AsString();
    EXPECT_THAT(std::string(device["backend"].AsString()), testing::AnyOf("gpu", "tpu"));
  }
}

TEST_F(MemoryViewTest, WarningsAboutTheMostBytesComeFirst) {
  Open(R"(HloModule copies, is_scheduled=true

ENTRY main {
  p = f32[1024,32768] parameter(0)
  q = f32[1024,65536] parameter(1)
  small = f32[1024,32768] copy(p)
  large = f32[1024,65536] copy(q)
  ROOT t = (f32[1024,32768], f32[1024,65536]) tuple(small, large)
}
)");
  const JsonValue overview = Ask(R"({"ask":"overview"})");
  ASSERT_EQ(overview["questions"].items.size(), 3U);
  const JsonValue& warnings = overview["warnings"];
  ASSERT_EQ(warnings.items.size(), 2U);
  EXPECT_EQ(warnings.items[0]["instruction"].AsString(), "large");
  EXPECT_EQ(warnings.items[0]["inst"].AsInt(-1), 3);
  EXPECT_EQ(warnings.items[0]["bytes"].AsInt(0), int64_t{256} << 20);
  EXPECT_EQ(warnings.items[1]["inst"].AsInt(-1), 2);
}

}  // namespace
}  // namespace halo::view
