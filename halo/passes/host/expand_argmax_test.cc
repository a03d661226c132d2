// Tests which reductions of pairs are taken for an argmax or argmin. codegen/compile_test.cc checks
// what the rewritten ones compute.
#include <string>

#include <gtest/gtest.h>

#include "halo/passes/host/host_passes.h"
#include "halo/passes/test/helpers.h"

namespace halo {
namespace {

struct PairReduction {
  std::string type = "f32";
  std::string start = "-inf";
  std::string first = "0";
  std::string positions = "iota(), iota_dimension=1";
  std::string order = "direction=GT";
  std::string ties = "LT";
  std::string nans = "ne = pred[] compare(a, a), direction=NE";
};

bool IsExpanded(const PairReduction& kind) {
  const std::string& type = kind.type;
  Module module = ReadModule(
      "HloModule m\npick {\na = " + type + "[] parameter(0)\ni = s32[] parameter(1)\nb = " + type +
      "[] parameter(2)\nj = s32[] parameter(3)\ngt = pred[] compare(a, b), " + kind.order + "\n" +
      kind.nans + "\nor = pred[] or(gt, ne)\nv = " + type +
      "[] select(or, a, b)\neq = pred[] compare(a, b), direction=EQ\n" +
      "lt = pred[] compare(i, j), direction=" + kind.ties +
      "\nand = pred[] and(eq, lt)\nor2 = pred[] or(or, and)\np = s32[] select(or2, i, j)\n" +
      "ROOT t = (" + type + "[], s32[]) tuple(v, p)\n}\nENTRY main {\nx = " + type +
      "[5,7]{1,0} parameter(0)\nn = s32[5,7]{1,0} parameter(1)\nk = s32[5,7]{1,0} " +
      kind.positions + "\ns = " + type + "[] constant(" + kind.start + ")\nf = s32[] constant(" +
      kind.first + ")\nROOT r = (" + type +
      "[5]{0}, s32[5]{0}) reduce(x, k, s, f), dimensions={1}, to_apply=pick\n}\n");
  PassLog log;
  const bool changed = ExpandArgmax(module, log);
  EXPECT_EQ(Problems(module), "");
  return changed;
}

TEST(ExpandArgmax, TheUsualOnes) {
  EXPECT_TRUE(IsExpanded({}));
  EXPECT_TRUE(IsExpanded({.type = "bf16"}));
  EXPECT_TRUE(IsExpanded({.start = "inf", .order = "direction=LT"}));
  EXPECT_TRUE(IsExpanded({.type = "s32", .start = "-2147483648"}));
  EXPECT_TRUE(IsExpanded({.type = "s8", .start = "127", .order = "direction=LT"}));
  // Integers have no NaN to be kept.
  const std::string never = "ne = pred[] compare(j, j), direction=NE";
  EXPECT_TRUE(IsExpanded({.type = "s32", .start = "-2147483648", .nans = never}));
}

TEST(ExpandArgmax, WhatIsNotQuiteOne) {
  const std::string never = "ne = pred[] compare(j, j), direction=NE";
  EXPECT_FALSE(IsExpanded({.nans = never}));
  EXPECT_FALSE(IsExpanded({.ties = "GT"}));                              // the last of equal ones
  EXPECT_FALSE(IsExpanded({.order = "direction=LT"}));                   // from -inf
  EXPECT_FALSE(IsExpanded({.order = "direction=GT, type=TOTALORDER"}));  // -0 is less than 0
  EXPECT_FALSE(IsExpanded({.start = "0"}));
  EXPECT_FALSE(IsExpanded({.first = "3"}));
  EXPECT_FALSE(IsExpanded({.positions = "negate(n)"}));
  EXPECT_FALSE(IsExpanded({.positions = "iota(), iota_dimension=0"}));
  EXPECT_FALSE(IsExpanded({.type = "f64"}));  // does not fit into half a key
}

}  // namespace
}  // namespace halo
