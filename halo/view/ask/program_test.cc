// Tests requests about a program as a whole: grouping the graph by scope, rows that are buffers,
// and what changed between two stages.
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/base/json/json_reader.h"
#include "halo/view/ask/host.h"
#include "halo/view/model/response.h"

namespace halo::view {
namespace {

JsonValue AskOf(ViewHost& host, std::string_view text, std::string_view request) {
  const uint32_t document = host.Open(SourceBuffer::Copy(text, "test"), "test");
  return ParseJson(PlainJson(host.Ask(document, request))).value_or(JsonValue());
}

std::string Named(std::string_view scope) {
  return ", metadata={op_name=\"jit(f)/net/" + std::string(scope) + "\"}\n";
}

// Two layers of two parts each, and a sum of both that belongs to neither.
std::string TwoLayers() {
  std::string text = "HloModule net\n\nENTRY main {\n  x = f32[8] parameter(0)\n";
  text += "  a0 = f32[8] sine(x)" + Named("layer_0/attention/sin");
  text += "  a1 = f32[8] cosine(a0)" + Named("layer_0/attention/cos");
  text += "  m0 = f32[8] negate(a1)" + Named("layer_0/mlp/neg");
  text += "  m1 = f32[8] abs(m0)" + Named("layer_0/mlp/abs");
  text += "  a2 = f32[8] sine(m1)" + Named("layer_1/attention/sin");
  text += "  unnamed = f32[8] copy(a2)\n";
  text += "  a3 = f32[8] cosine(unnamed)" + Named("layer_1/attention/cos");
  text += "  m2 = f32[8] negate(a3)" + Named("layer_1/mlp/neg");
  text += "  m3 = f32[8] abs(m2)" + Named("layer_1/mlp/abs");
  return text + "  ROOT sum = f32[8] add(m1, m3)" + Named("add") + "}\n";
}

std::vector<std::string> Labels(const JsonValue& graph) {
  std::vector<std::string> labels;
  for (const JsonValue& each : graph["nodes"]["label"].items) {
    labels.emplace_back(each.AsString());
  }
  return labels;
}

TEST(ViewProgramTest, ScopesAreBoxesThatOpen) {
  ViewHost host;
  const JsonValue graph = AskOf(host, TwoLayers(), R"({"ask":"graph","group":"scope"})");
  EXPECT_TRUE(graph["scopes"].AsBool(false));
  // The input is in the scope that reads it.
  EXPECT_THAT(Labels(graph), testing::UnorderedElementsAre("layer_0", "layer_1", "sum"));
  std::string key;
  for (size_t i = 0; i < graph["nodes"]["label"].items.size(); ++i) {
    if (graph["nodes"]["label"].items[i].AsString() != "layer_1") continue;
    key = graph["nodes"]["key"].items[i].AsString();
    // What has no name belongs where it is used.
    EXPECT_EQ(graph["nodes"]["instructions"].AsInts()[i], 5);
  }
  const JsonValue open =
      AskOf(host, TwoLayers(), R"({"ask":"graph","group":"scope","open":[")" + key + R"("]})");
  EXPECT_THAT(Labels(open), testing::IsSupersetOf({"layer_0", "layer_1", "attention", "mlp"}));
}

TEST(ViewProgramTest, RevealOpensEveryScopeAround) {
  ViewHost host;
  // m2
  const JsonValue graph = AskOf(host, TwoLayers(), R"({"ask":"graph","group":"scope","reveal":8})");
  const auto found = static_cast<size_t>(graph["found"].AsInt(0));
  EXPECT_EQ(graph["nodes"]["label"].items[found].AsString(), "m2");
}

TEST(ViewProgramTest, BoxesOfScopesHaveNoCycle) {
  // Each scope needs the other in turn.
  std::string text = "HloModule m\n\nENTRY main {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= 16; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += "  v" + n + " = f32[8] negate(v" + before + "), metadata={op_name=\"jit(f)/" +
            (i / 2 % 2 == 0 ? "even" : "odd") + "/neg\"}\n";
  }
  text += "  ROOT r = f32[8] abs(v16)\n}\n";
  ViewHost host;
  const JsonValue graph = AskOf(host, text, R"({"ask":"graph","group":"scope"})");
  EXPECT_GT(graph["nodes"]["total"].AsInt(0), 6);
  const std::vector<int64_t> from = graph["edges"]["from"].AsInts();
  const std::vector<int64_t> to = graph["edges"]["to"].AsInts();
  const size_t nodes = static_cast<size_t>(graph["nodes"]["total"].AsInt(0));
  std::vector<int> waits(nodes, 0);
  for (const int64_t each : to) ++waits[static_cast<size_t>(each)];
  size_t done = 0;
  std::vector<size_t> ready;
  for (size_t i = 0; i < nodes; ++i) {
    if (waits[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const size_t at = ready.back();
    ready.pop_back();
    ++done;
    for (size_t e = 0; e < from.size(); ++e) {
      if (from[e] == static_cast<int64_t>(at) && --waits[static_cast<size_t>(to[e])] == 0) {
        ready.push_back(static_cast<size_t>(to[e]));
      }
    }
  }
  EXPECT_EQ(done, nodes);
  bool tells_parts = false;
  for (const JsonValue& each : graph["nodes"]["detail"].items) {
    tells_parts = tells_parts || each.AsString().find(", part 2 of ") != std::string_view::npos;
  }
  EXPECT_TRUE(tells_parts);
}

TEST(ViewProgramTest, ManyInstructionsOutsideTheScopesAreOneBox) {
  std::string text = "HloModule m\n\nENTRY main {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    const std::string scope = i == 30 || i == 31 ? "inner/" : "";
    text += "  v" + n + " = f32[" + std::to_string(8) + "] " + (i % 3 == 0 ? "sine" : "negate") +
            "(v" + before + "), metadata={op_name=\"jit(f)/" + scope + "op\"}\n";
  }
  text += "  ROOT r = f32[8] abs(v60), metadata={op_name=\"jit(f)/abs\"}\n}\n";
  ViewHost host;
  const JsonValue graph = AskOf(host, text, R"({"ask":"graph","group":"scope"})");
  // What is before the scope, with the input; the scope; what is after it.
  EXPECT_EQ(graph["nodes"]["total"].AsInt(0), 3);
  EXPECT_THAT(Labels(graph), testing::Contains("inner"));
  const JsonValue open = AskOf(host, text, R"({"ask":"graph","group":"scope","reveal":5})");
  const auto found = static_cast<size_t>(open["found"].AsInt(0));
  EXPECT_EQ(open["nodes"]["label"].items[found].AsString(), "v5");
}

TEST(ViewProgramTest, WithoutNamesThereAreNoScopes) {
  ViewHost host;
  const JsonValue graph = AskOf(
      host, "HloModule m\n\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] negate(p)\n}\n",
      R"({"ask":"graph","group":"scope"})");
  EXPECT_TRUE(graph["ok"].AsBool(false));
  EXPECT_FALSE(graph["scopes"].AsBool(true));
}

constexpr std::string_view kFused = R"(HloModule fused

inside {
  p = f32[1024] parameter(0)
  big = f32[1024,1024] broadcast(p), dimensions={0}
  ROOT small = f32[1024] slice(p), slice={[0:1024]}
}

sum {
  l = f32[] parameter(0)
  r = f32[] parameter(1)
  ROOT s = f32[] add(l, r)
}

ENTRY main {
  a = f32[1024] parameter(0)
  zero = f32[] constant(0)
  f = f32[1024] fusion(a), kind=kLoop, calls=inside
  total = f32[] reduce(f, zero), dimensions={0}, to_apply=sum
  both = (f32[1024], f32[]) tuple(f, total)
  ROOT out = f32[] get-tuple-element(both), index=1
}
)";

TEST(ViewProgramTest, TablesTellWhatIsABuffer) {
  ViewHost host;
  const JsonValue all = AskOf(host, kFused, R"({"ask":"table","of":"instructions"})");
  std::map<std::string, std::string> storage;
  const auto column = [](const JsonValue& table, std::string_view name) -> const JsonValue& {
    for (const JsonValue& each : table["columns"].items) {
      if (each["name"].AsString() == name) return each["values"];
    }
    return table["nothing"];
  };
  for (size_t i = 0; i < column(all, "name").items.size(); ++i) {
    storage[std::string(column(all, "name").items[i].AsString())] =
        column(all, "storage").items[i].AsString();
  }
  EXPECT_EQ(storage["big"], "fused");
  EXPECT_EQ(storage["s"], "applied");
  EXPECT_EQ(storage["both"], "tuple");
  EXPECT_EQ(storage["out"], "alias");
  EXPECT_EQ(storage["f"], "buffer");
  EXPECT_EQ(storage["a"], "buffer");
  // The results of an op with several are shown where they are taken out.
  const JsonValue two = AskOf(host, R"(HloModule m

ENTRY e {
  p = f32[8] parameter(0)
  pair = (f32[8], f32[4]) custom-call(p), custom_call_target="two"
  ROOT first = f32[8] get-tuple-element(pair), index=0
}
)",
                              R"({"ask":"table","filter":"name:first"})");
  EXPECT_EQ(column(two, "storage").items[0].AsString(), "buffer");
  const JsonValue some = AskOf(host, kFused,
                               R"({"ask":"table","hide":["fused","applied","tuple"],)"
                               R"("sort":"bytes","descending":true})");
  EXPECT_EQ(some["hidden"].AsInt(0), 7);
  EXPECT_EQ(some["total"].AsInt(0), all["total"].AsInt(0) - 7);
  EXPECT_EQ(column(some, "bytes").AsInts()[0], 4096);
  // Only what passes the filter counts as hidden.
  const JsonValue one =
      AskOf(host, kFused, R"({"ask":"table","filter":"name:big","hide":["fused"]})");
  EXPECT_EQ(one["hidden"].AsInt(0), 1);
  EXPECT_EQ(one["total"].AsInt(1), 0);
}

TEST(ViewProgramTest, CountsAndWhatChanged) {
  ViewHost host;
  const JsonValue before = AskOf(host, kFused, R"({"ask":"counts"})");
  EXPECT_EQ(before["counts"]["instructions"].AsInt(0), 12);
  EXPECT_EQ(before["counts"]["computations"].AsInt(0), 3);
  EXPECT_EQ(before["counts"]["fusions"].AsInt(0), 1);
  EXPECT_EQ(before["counts"]["largest_bytes"].AsInt(0), 4096);
  EXPECT_EQ(before["counts"]["largest"].AsString(), "a");
  EXPECT_EQ(before["counts"]["opcodes"]["parameter"].AsInt(0), 4);
  EXPECT_TRUE(before["change"].is_null());
  // The counts of an earlier stage are passed back as they came.
  const uint32_t document = host.Open(SourceBuffer::Copy(kFused, "test"), "test");
  std::string plain = PlainJson(host.Ask(document, R"({"ask":"counts"})"));
  plain = plain.substr(plain.find("\"counts\": ") + 10);
  plain = plain.substr(0, plain.rfind('}'));
  const std::string since = R"({"ask":"counts","since":)" + plain + "}";
  EXPECT_TRUE(AskOf(host, kFused, since)["change"]["same_text"].AsBool(false));
  std::string text(kFused);
  text.replace(text.find("ROOT out"), 8, "out2 = f32[] negate(total)\n  ROOT out");
  const JsonValue after = AskOf(host, text, since);
  EXPECT_FALSE(after["change"]["same_text"].AsBool(true));
  EXPECT_EQ(after["change"]["instructions"].AsInt(0), 1);
  EXPECT_EQ(after["change"]["added"].AsInt(0), 1);
  EXPECT_EQ(after["change"]["removed"].AsInt(1), 0);
  EXPECT_EQ(after["change"]["buffer_bytes"].AsInt(0), 4);
  ASSERT_EQ(after["change"]["opcodes"].items.size(), 1u);
  EXPECT_EQ(after["change"]["opcodes"].items[0]["name"].AsString(), "negate");
}

TEST(ViewProgramTest, MalformedCountsAreHarmless) {
  ViewHost host;
  for (const std::string_view since :
       {"{}", R"({"instructions":-5,"opcodes":{"add":"x","sub":-1}})", "[]", "7",
        R"({"opcodes":[1,2,3],"largest":{}})"}) {
    const JsonValue result =
        AskOf(host, kFused, R"({"ask":"counts","since":)" + std::string(since) + "}");
    EXPECT_TRUE(result["ok"].AsBool(false)) << since;
  }
}

}  // namespace
}  // namespace halo::view
