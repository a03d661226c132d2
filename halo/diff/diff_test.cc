// Small programs, each with one difference, and what the comparison must say about it.
#include "halo/diff/diff.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/text/read/read_text.h"

namespace halo {
namespace {

ProgramDiff DiffTexts(const std::string& before, const std::string& after) {
  return DiffPrograms(ReadHloText(before).module, ReadHloText(after).module);
}

std::string Causes(const ProgramDiff& diff) {
  std::string out;
  for (const DiffCause& cause : diff.causes) out += cause.what + "\n";
  return out;
}

std::string Entry(const std::string& body) { return "HloModule m\n\nENTRY e {\n" + body + "}\n"; }

const char* const kParts =
    "  a = f32[4]{0} parameter(0)\n"
    "  b = f32[4]{0} parameter(1)\n"
    "  c = f32[4]{0} parameter(2)\n";

TEST(DiffTest, NamesAndOrderDoNotCount) {
  const ProgramDiff diff =
      DiffTexts(Entry(std::string(kParts) +
                      "  m = f32[4]{0} multiply(a, b)\n  ROOT s = f32[4]{0} add(m, c)\n"),
                Entry("  z = f32[4]{0} parameter(2)\n  x = f32[4]{0} parameter(0)\n"
                      "  y = f32[4]{0} parameter(1)\n  p = f32[4]{0} multiply(y, x)\n"
                      "  ROOT q = f32[4]{0} add(z, p)\n"));
  EXPECT_TRUE(diff.same) << diff.verdict;
}

TEST(DiffTest, ParameterNumbersCount) {
  const ProgramDiff diff =
      DiffTexts(Entry(std::string(kParts) +
                      "  m = f32[4]{0} multiply(a, b)\n  ROOT s = f32[4]{0} add(m, c)\n"),
                Entry(std::string(kParts) +
                      "  m = f32[4]{0} multiply(a, c)\n  ROOT s = f32[4]{0} add(m, b)\n"));
  EXPECT_FALSE(diff.same_values);
}

TEST(DiffTest, OperandOrderCountsUnlessTheOpCommutes) {
  const std::string parts = kParts;
  EXPECT_FALSE(DiffTexts(Entry(parts + "  ROOT s = f32[4]{0} subtract(a, b)\n"),
                         Entry(parts + "  ROOT s = f32[4]{0} subtract(b, a)\n"))
                   .same_values);
  EXPECT_TRUE(DiffTexts(Entry(parts + "  ROOT s = f32[4]{0} add(a, b)\n"),
                        Entry(parts + "  ROOT s = f32[4]{0} add(b, a)\n"))
                  .same_values);
}

TEST(DiffTest, FusionIsNoChangeOfValues) {
  const std::string fused =
      "HloModule m\n\nf {\n  p = f32[4]{0} parameter(0)\n  q = f32[4]{0} parameter(1)\n"
      "  m = f32[4]{0} multiply(p, q)\n  ROOT s = f32[4]{0} add(m, q)\n}\n\nENTRY e {\n"
      "  a = f32[4]{0} parameter(0)\n  b = f32[4]{0} parameter(1)\n"
      "  ROOT k = f32[4]{0} fusion(a, b), kind=kLoop, calls=f\n}\n";
  const std::string plain = Entry(
      "  a = f32[4]{0} parameter(0)\n  b = f32[4]{0} parameter(1)\n"
      "  m = f32[4]{0} multiply(a, b)\n  ROOT s = f32[4]{0} add(m, b)\n");
  const ProgramDiff diff = DiffTexts(plain, fused);
  EXPECT_TRUE(diff.same_values) << diff.verdict;
  EXPECT_FALSE(diff.same);
  ASSERT_EQ(diff.causes.size(), 1u);
  EXPECT_EQ(diff.causes[0].kind, CauseKind::kFusion);
  EXPECT_EQ(diff.causes[0].what, "2 unfused ops became 1 fusion");
}

TEST(DiffTest, EqualLayersAreOneCause) {
  std::string before = "  x0 = f32[4]{0} parameter(0)\n";
  std::string after = before;
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    const std::string next = std::to_string(i + 1);
    const std::string weight = "  w" + n + " = f32[4]{0} parameter(" + next + ")\n";
    before += weight + "  x" + next + " = f32[4]{0} multiply(x" + n + ", w" + n + ")\n";
    after += weight + "  t" + n + " = f32[4]{0} tanh(x" + n + ")\n  x" + next +
             " = f32[4]{0} multiply(t" + n + ", w" + n + ")\n";
  }
  before += "  ROOT r = f32[4]{0} negate(x5)\n";
  after += "  ROOT r = f32[4]{0} negate(x5)\n";
  const ProgramDiff diff = DiffTexts(Entry(before), Entry(after));
  EXPECT_EQ(diff.counts.inserted, 5);
  EXPECT_EQ(diff.counts.edits(), 5);
  ASSERT_EQ(diff.causes.size(), 1u);
  EXPECT_EQ(diff.causes[0].count, 5);
  EXPECT_EQ(diff.causes[0].what, "tanh added");
}

TEST(DiffTest, LoopStatesWithEqualStartsAreToldApart) {
  const auto loop = [](const std::string& first, const std::string& second) {
    return "HloModule m\n\nbody {\n  s = (s32[], f32[], f32[]) parameter(0)\n"
           "  i = s32[] get-tuple-element(s), index=0\n  x = f32[] get-tuple-element(s), index=1\n"
           "  y = f32[] get-tuple-element(s), index=2\n  one = s32[] constant(1)\n"
           "  h = f32[] constant(1)\n  g = f32[] constant(2)\n  j = s32[] add(i, one)\n"
           "  u = f32[] add(" +
           first + ", h)\n  v = f32[] add(" + second +
           ", g)\n"
           "  ROOT t = (s32[], f32[], f32[]) tuple(j, u, v)\n}\n\ncond {\n"
           "  s = (s32[], f32[], f32[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
           "  n = s32[] constant(9)\n  ROOT c = pred[] compare(i, n), direction=LT\n}\n\nENTRY e "
           "{\n"
           "  z = s32[] constant(0)\n  o = f32[] constant(0)\n"
           "  t = (s32[], f32[], f32[]) tuple(z, o, o)\n"
           "  ROOT w = (s32[], f32[], f32[]) while(t), condition=cond, body=body\n}\n";
  };
  EXPECT_TRUE(DiffTexts(loop("x", "y"), loop("x", "y")).same);
  EXPECT_FALSE(DiffTexts(loop("x", "y"), loop("y", "x")).same_values);
}

TEST(DiffTest, ProgramsWithoutEntryAreRefused) {
  EXPECT_FALSE(DiffPrograms(Module(), Module()).refused.empty());
}

// What a reader makes of a malformed text can be compared: nothing in it is taken for granted.
TEST(DiffTest, ProgramsReadWithErrors) {
  const std::string parts = kParts;
  const std::string sound = Entry(parts + "  ROOT s = f32[4]{0} add(a, b)\n");
  for (const std::string& broken :
       {Entry(parts + "  ROOT s = f32[4]{0} add(a, nowhere)\n"),
        Entry(parts + "  ROOT s = f32[4]{0} add(a)\n"),
        Entry(parts + "  t = (f32[4]{0}, f32[4]{0}) tuple(a, b)\n  ROOT s = f32[4]{0} add(t, a)\n"),
        Entry(parts + "  ROOT s = f32[4]{0} get-tuple-element(a), index=7\n"),
        Entry(parts + "  ROOT s = f32[4]{0} fusion(a, b), kind=kLoop, calls=nowhere\n"),
        Entry(parts + "  ROOT s = f32[4]{0} while(a), body=e\n"),
        Entry(parts + "  ROOT s = f32[4]{0} conditional(a, b), true_computation=nowhere\n"),
        Entry(parts + "  ROOT s = f32[4]{0} bitcast()\n")}) {
    const ProgramDiff self = DiffTexts(broken, broken);
    EXPECT_TRUE(self.same || !self.refused.empty()) << broken << self.verdict;
    EXPECT_FALSE(DiffTexts(sound, broken).same) << broken;
    EXPECT_FALSE(DiffTexts(broken, sound).same) << broken;
  }
}

TEST(DiffTest, ReplicaGroupsMayBeWrittenInAnyNotation) {
  const auto reduced = [](const std::string& groups) {
    return "HloModule m\n\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
           "  ROOT s = f32[] add(x, y)\n}\n\nENTRY e {\n  a = f32[4]{0} parameter(0)\n"
           "  ROOT r = f32[4]{0} all-reduce(a), replica_groups=" +
           groups + ", to_apply=add\n}\n";
  };
  const ProgramDiff same = DiffTexts(reduced("{{0,1},{2,3}}"), reduced("mesh['x'=2,'y'=2] {'y'}"));
  EXPECT_TRUE(same.same) << Causes(same);
  const ProgramDiff other = DiffTexts(reduced("{{0,1},{2,3}}"), reduced("mesh['x'=2,'y'=2] {'x'}"));
  EXPECT_EQ(Causes(other), "all-reduce: other replica_groups\n");
}

TEST(DiffTest, ConfigurationsMayNameTheirFieldsInAnyOrder) {
  const auto configured = [](const std::string& config) {
    return Entry(std::string(kParts) + "  ROOT s = f32[4]{0} add(a, b), backend_config=" + config +
                 "\n");
  };
  EXPECT_TRUE(DiffTexts(configured(R"({"x":{"n":1,"m":[2,3]},"y":true})"),
                        configured(R"({"y":true,"x":{"m":[2,3],"n":1}})"))
                  .same);
  for (const char* other : {R"({"y":true,"x":{"m":[3,2],"n":1}})", R"({"y":true})"}) {
    EXPECT_EQ(
        Causes(DiffTexts(configured(R"({"x":{"n":1,"m":[2,3]},"y":true})"), configured(other))),
        "add: other backend_config\n");
  }
}

TEST(DiffTest, ReplicationOverAMeshIsReplication) {
  const auto sharded = [](const std::string& sharding) {
    return Entry("  a = f32[4]{0} parameter(0)" + sharding + "\n  ROOT n = f32[4]{0} negate(a)\n");
  };
  const std::string replicated = sharded(", sharding={replicated}");
  EXPECT_TRUE(DiffTexts(replicated, sharded(", sharding={mesh['x'=2], [{}]}")).same);
  EXPECT_TRUE(DiffTexts(replicated, sharded(", sharding={mesh['x'=1], [{'x'}]}")).same);
  EXPECT_EQ(Causes(DiffTexts(replicated, sharded(", sharding={mesh['x'=2], [{'x'}]}"))),
            "parameter: other sharding\n");
  EXPECT_EQ(Causes(DiffTexts(replicated, sharded(""))), "parameter: sharding removed\n");
  EXPECT_EQ(Causes(DiffTexts(sharded(""), replicated)), "parameter: sharding added\n");
}

// A value becomes another only if it is read in its place.
TEST(DiffTest, RemovedAndAddedInDifferentPlaces) {
  const std::string parts = kParts;
  const std::string tail = "  t = f32[4]{0} tanh(d)\n  u = f32[4]{0} power(t, b)\n";
  const ProgramDiff diff =
      DiffTexts(Entry(parts + "  d = f32[4]{0} subtract(a, b)\n" + tail +
                      "  n = f32[4]{0} exponential(u)\n  ROOT s = f32[4]{0} divide(n, c)\n"),
                Entry(parts + "  k = f32[4]{0} exponential(a)\n  d = f32[4]{0} subtract(k, b)\n" +
                      tail + "  ROOT s = f32[4]{0} divide(u, c)\n"));
  EXPECT_EQ(Causes(diff).find("became"), std::string::npos) << Causes(diff);
}

}  // namespace
}  // namespace halo
