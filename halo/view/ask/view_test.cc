// Tests opening, pairing and requests from C++; names of all kinds are preserved.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/base/json/json_reader.h"
#include "halo/view/ask/host.h"
#include "halo/view/graph/scene.h"
#include "halo/view/model/response.h"
#include "halo/view/model/search_index.h"

namespace halo::view {
namespace {

using testing::HasSubstr;

JsonValue AskJson(ViewHost& host, uint32_t document, std::string_view request) {
  return ParseJson(PlainJson(host.Ask(document, request))).value_or(JsonValue());
}

uint32_t OpenText(ViewHost& host, std::string_view text) {
  return host.Open(SourceBuffer::Copy(text, "test"), "test");
}

constexpr std::string_view kChain = R"(HloModule chain

ENTRY main {
  a = f32[8] parameter(0)
  b = f32[8] negate(a), metadata={op_name="jit(f)/encoder/neg" source_file="/x/model.py" source_line=7}
  c = f32[8] exponential(b)
  t = (f32[8], f32[8]) tuple(b, c)
  g = f32[8] get-tuple-element(t), index=1
  ROOT d = f32[8] add(g, a)
}
)";

TEST(ViewTest, ResponsesAreAlignedBlocks) {
  Response result;
  result.Array("bytes", std::vector<uint8_t>{1, 2, 3});
  result.Array("numbers", std::vector<double>{0.5, 2});
  const std::string block = result.TakeBlock();
  uint32_t sizes[2];
  std::memcpy(sizes, block.data(), sizeof(sizes));
  EXPECT_EQ(sizes[0], block.size());
  const auto json = ParseJson(std::string_view(block).substr(8, sizes[1]));
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ((*json)["numbers"]["at"].AsInt(-1) % 8, 0);
  EXPECT_EQ((*json)["numbers"]["count"].AsInt(-1), 2);
  EXPECT_THAT(PlainJson(block), HasSubstr("[0.5, 2]"));
}

TEST(ViewTest, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(Shortened("abc", 3), "abc");
  EXPECT_EQ(Shortened("abcd", 3), "abc\xE2\x80\xA6");
  EXPECT_EQ(Shortened("a\xC3\xA4z", 2), "a\xE2\x80\xA6");
}

TEST(ViewTest, WrongRequestsGetAResponse) {
  ViewHost host;
  const uint32_t document = OpenText(host, kChain);
  for (const std::string_view request :
       {"", "nonsense", "[]", R"({"ask":"fly"})", R"({"ask":"inst","inst":99})",
        R"({"ask":"inst","inst":-1})", R"({"ask":"graph","comp":7})",
        R"({"ask":"table","of":"dreams"})", R"({"ask":"table","sort":"mood"})",
        R"({"ask":"memory.map","plan":"dumped"})", R"({"ask":"pair","with":12})"}) {
    const JsonValue result = AskJson(host, document, request);
    EXPECT_FALSE(result["ok"].AsBool(true)) << request;
    EXPECT_FALSE(result["error"].AsString().empty()) << request;
  }
  EXPECT_FALSE(AskJson(host, 77, R"({"ask":"info"})")["ok"].AsBool(true));
}

TEST(ViewTest, AFileOfNothingIsADocument) {
  ViewHost host;
  const uint32_t document = OpenText(host, "");
  EXPECT_TRUE(AskJson(host, document, R"({"ask":"overview"})")["ok"].AsBool(false));
  EXPECT_FALSE(AskJson(host, document, R"({"ask":"graph"})")["ok"].AsBool(true));
}

TEST(ViewTest, SearchRanksNamesFirst) {
  ViewHost host;
  const uint32_t document = OpenText(host, kChain);
  const auto found = [&](std::string_view query) {
    return AskJson(host, document,
                   R"({"ask":"search","query":")" + std::string(query) + R"("})")["insts"]
        .AsInts();
  };
  EXPECT_THAT(found("b"), testing::Contains(1));
  EXPECT_EQ(found("b").front(), 1);
  EXPECT_THAT(found("opcode:add"), testing::ElementsAre(5));
  EXPECT_THAT(found("ENCODER neg"), testing::ElementsAre(1));
  EXPECT_THAT(found("model.py:7"), testing::ElementsAre(1));
  EXPECT_THAT(found("model.py:8"), testing::IsEmpty());
  EXPECT_THAT(found("shape:f32[8] name:d"), testing::ElementsAre(5));
  EXPECT_THAT(found(""), testing::IsEmpty());
}

TEST(ViewTest, GraphsSeeThroughTuples) {
  ViewHost host;
  const uint32_t document = OpenText(host, kChain);
  const JsonValue graph = AskJson(host, document, R"({"ask":"graph","reveal":5})");
  // a, b, c, d; the tuple and its element are looked through.
  EXPECT_EQ(graph["nodes"]["total"].AsInt(0), 4);
  EXPECT_EQ(graph["edges"]["total"].AsInt(0), 4);
  const auto found = static_cast<size_t>(graph["found"].AsInt(0));
  EXPECT_EQ(graph["nodes"]["label"].items[found].AsString(), "d");
  EXPECT_TRUE(graph["nodes"]["is_output"].AsInts()[found] == 1);
  const JsonValue all = AskJson(host, document, R"({"ask":"graph","all":true})");
  EXPECT_EQ(all["nodes"]["total"].AsInt(0), 6);
}

std::string Layers(int count) {
  std::string text = "HloModule layers\nENTRY main {\n  x0 = f32[4,4] parameter(0)\n";
  std::string last = "x0";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "  w" + n + " = f32[4,4] constant({...})\n";
    text += "  dot" + n + " = f32[4,4] dot(" + last + ", w" + n +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    text += "  tanh" + n + " = f32[4,4] tanh(dot" + n + ")\n";
    text += "  add" + n + " = f32[4,4] add(tanh" + n + ", " + last + ")\n";
    last = "add" + n;
  }
  return text + "  ROOT out = f32[4,4] negate(" + last + ")\n}\n";
}

TEST(ViewTest, LayersFoldAndOpen) {
  ViewHost host;
  const uint32_t document = OpenText(host, Layers(36));
  const JsonValue graph = AskJson(host, document, R"({"ask":"graph"})");
  const JsonValue& folds = graph["folds"];
  ASSERT_EQ(folds.items.size(), 1u);
  EXPECT_EQ(folds.items[0]["period"].AsInt(0), 3);
  // The first layer reads the parameter, the others read the previous layer.
  EXPECT_GE(folds.items[0]["count"].AsInt(0), 35);
  EXPECT_LT(graph["nodes"]["total"].AsInt(100), 10);
  const std::string key(folds.items[0]["key"].AsString());
  const JsonValue open = AskJson(host, document, R"({"ask":"graph","open":[")" + key + R"("]})");
  EXPECT_GT(open["nodes"]["total"].AsInt(0), graph["nodes"]["total"].AsInt(0));
  const JsonValue flat = AskJson(host, document, R"({"ask":"graph","fold":false})");
  EXPECT_TRUE(flat["folds"].items.empty());
  EXPECT_GT(flat["nodes"]["total"].AsInt(0), 36 * 3);
}

TEST(ViewTest, ALimitGathers) {
  ViewHost host;
  const uint32_t document = OpenText(host, Layers(400));
  const JsonValue graph = AskJson(host, document, R"({"ask":"graph","fold":false,"limit":100})");
  EXPECT_TRUE(graph["gathered"].AsBool(false));
  EXPECT_LT(graph["nodes"]["total"].AsInt(1000), 250);
}

TEST(ViewTest, HostileNamesArePlainData) {
  const std::string script = "<script>alert(1)</script>";
  const std::string bidi =
      "\xE2\x80\xAE"
      "evil";
  const std::string quoted = R"(a\"'&b)";
  const std::string text =
      "HloModule m\nENTRY main {\n  p = f32[2] parameter(0)\n  ROOT r = f32[2] "
      "negate(p), metadata={op_name=\"" +
      script + bidi + quoted + "\"}\n}\n";
  ViewHost host;
  const uint32_t document = OpenText(host, text);
  const JsonValue inst = AskJson(host, document, R"({"ask":"inst","inst":1})");
  EXPECT_EQ(inst["op_name"].AsString(), script + bidi + "a\"'&b");
}

TEST(ViewTest, AVeryLongNameIsCutInRowsAndWholeInItself) {
  const std::string name(1 << 20, 'x');
  ViewHost host;
  const uint32_t document =
      OpenText(host, "HloModule m\nENTRY main {\n  p = f32[2] parameter(0)\n  ROOT " + name +
                         " = f32[2] negate(p)\n}\n");
  EXPECT_EQ(AskJson(host, document, R"({"ask":"inst","inst":1})")["name"].AsString(), name);
  for (const std::string_view request :
       {R"({"ask":"graph"})", R"({"ask":"table"})", R"({"ask":"search","query":"xxx"})",
        R"({"ask":"text"})", R"({"ask":"overview"})"}) {
    EXPECT_LT(host.Ask(document, request).size(), size_t{20'000}) << request;
  }
}

}  // namespace
}  // namespace halo::view
