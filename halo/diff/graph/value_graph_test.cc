// How large graphs become when computations are called at several places.
#include "halo/diff/graph/value_graph.h"

#include <algorithm>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "halo/diff/diff.h"
#include "halo/diff/fingerprint/fingerprint.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

// Computations c0, c1, ...; each but the first calls the one before twice, by one instruction.
std::string BranchesOfBranches(int levels) {
  std::string text =
      "HloModule m\n\nc0 {\n  p = f32[4]{0} parameter(0)\n  ROOT r = f32[4]{0} add(p, p)\n}\n\n";
  for (int i = 1; i <= levels; ++i) {
    const std::string below = "c" + std::to_string(i - 1);
    text += (i == levels ? "ENTRY c" : "c") + std::to_string(i) +
            " {\n  p = f32[4]{0} parameter(0)\n  k = s32[] constant(0)\n"
            "  ROOT r = f32[4]{0} conditional(k, p, p), branch_computations={" +
            below + ", " + below + "}\n}\n\n";
  }
  return text;
}

std::string Repeated(const std::string& text, int count, const std::string& between = ", ") {
  std::string all = text;
  for (int i = 1; i < count; ++i) all += between + text;
  return all;
}

TEST(ValueGraphTest, ComputationsThatOneInstructionCallsTwiceMultiply) {
  const Module module = ReadHloText(BranchesOfBranches(40)).module;
  const ValueGraph graph = BuildValueGraph(module);
  EXPECT_TRUE(graph.is_complete());
  EXPECT_LE(graph.nodes.size(), module.insts.size());
  EXPECT_TRUE(DiffPrograms(module, module).same);
}

TEST(ValueGraphTest, FewCallsAreExpandedEverywhere) {
  const Module module = ReadHloText(BranchesOfBranches(3)).module;
  // Eight additions, and the conditionals above them.
  EXPECT_GT(BuildValueGraph(module).nodes.size(), size_t{15});
}

// Calls of a computation that makes an array of many and forgets the others.
TEST(ValueGraphTest, ArraysCountWhenCallsAreExpanded) {
  constexpr int kCount = 20000;
  const std::string shape = "(" + Repeated("f32[4]{0}", kCount) + ")";
  std::string text = "HloModule m\n\nf {\n  p = f32[4]{0} parameter(0)\n  w = " + shape +
                     " custom-call(p), custom_call_target=\"wide\"\n"
                     "  ROOT g = f32[4]{0} get-tuple-element(w), index=0\n}\n\nENTRY e {\n"
                     "  c0 = f32[4]{0} parameter(0)\n";
  for (int i = 1; i <= kCount; ++i) {
    text += (i == kCount ? "  ROOT c" : "  c") + std::to_string(i) + " = f32[4]{0} call(c" +
            std::to_string(i - 1) + "), to_apply=f\n";
  }
  text += "}\n";
  const Module module = ReadHloText(text).module;
  const ValueGraph graph = BuildValueGraph(module);
  EXPECT_TRUE(graph.is_complete());
  EXPECT_LE(graph.nodes.size(), module.insts.size());
}

TEST(ValueGraphTest, SaysWhenManyInstructionsReadAWideTuple) {
  constexpr int kCount = 6000;
  const std::string shape = "(" + Repeated("f32[4]{0}", kCount) + ")";
  std::string text = "HloModule m\n\nENTRY e {\n  t = " + shape + " parameter(0)\n";
  for (int i = 0; i < kCount; ++i) {
    text += (i + 1 == kCount ? "  ROOT c" : "  c") + std::to_string(i) +
            " = f32[4]{0} custom-call(t), custom_call_target=\"wide\"\n";
  }
  text += "}\n";
  const Module module = ReadHloText(text).module;
  const ValueGraph graph = BuildValueGraph(module);
  EXPECT_FALSE(graph.is_complete());
  EXPECT_TRUE(graph.nodes.empty());
  EXPECT_NE(DiffPrograms(module, module).refused.find("the first program is too large"),
            std::string::npos);
  EXPECT_EQ(FingerprintValues(module), FingerprintModule(module));
}

// One conditional with so many branches.
double SecondsForBranches(int count) {
  std::string text = "HloModule m\n\n", names, operands;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "f" + n + " {\n  q = f32[4]{0} parameter(0)\n  ROOT r = f32[4]{0} negate(q)\n}\n\n";
    names += (i == 0 ? "f" : ", f") + n;
    operands += ", p";
  }
  const Module module = ReadHloText(text +
                                    "ENTRY e {\n  i = s32[] parameter(0)\n"
                                    "  p = f32[4]{0} parameter(1)\n"
                                    "  ROOT r = f32[4]{0} conditional(i" +
                                    operands + "), branch_computations={" + names + "}\n}\n")
                            .module;
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(BuildValueGraph(module).outputs.size(), 1u);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count());
  }
  return least;
}

// Eight times the branches may take sixteen times as long; a quadratic cost would be 64 times.
TEST(ValueGraphTest, TheCostOfManyBranchesIsNearLinear) {
  const double small = SecondsForBranches(4'000);
  EXPECT_LT(SecondsForBranches(32'000), 16 * small + 0.05);
}

}  // namespace
}  // namespace halo
