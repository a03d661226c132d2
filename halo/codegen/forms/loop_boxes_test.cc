// Tests loops that are split where concatenates and pads change what they read, against the
// evaluator: with tails, in chunks, streamed, and with too many parts to be split.
#include "halo/codegen/forms/loop_boxes.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/test/kernel_check.h"

namespace halo {
namespace {

// Replaces {0}, {1}, ... by numbers.
std::string Filled(std::string text, const std::vector<int>& numbers) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string name = "{" + std::to_string(i) + "}";
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.replace(at, name.size(), std::to_string(numbers[i]));
    }
  }
  return text;
}

std::string Fusion(const std::string& shape, const std::string& parameters,
                   const std::string& ops) {
  return "HloModule m\nf {\n" + parameters + ops + "}\nENTRY e {\n" + parameters +
         "ROOT r = " + shape + " fusion(a, b), kind=kLoop, calls=f\n}\n";
}

std::string TwoOf(const std::string& shape) {
  return "a = " + shape + " parameter(0)\nb = " + shape + " parameter(1)\n";
}

// A plus what is above it and what is `by` positions before it, both cyclic, times B.
std::string Rolled(int rows, int columns, int by = 1) {
  const std::string shape = Filled("f32[{0},{1}]", {rows, columns});
  return Fusion(shape, TwoOf(shape),
                Filled("u = f32[1,{1}] slice(a), slice={[{2}:{0}], [0:{1}]}\n"
                       "v = f32[{2},{1}] slice(a), slice={[0:{2}], [0:{1}]}\n"
                       "above = f32[{0},{1}] concatenate(u, v), dimensions={ 0 }\n"
                       "x = f32[{0},{4}] slice(a), slice={[0:{0}], [{3}:{1}]}\n"
                       "y = f32[{0},{3}] slice(a), slice={[0:{0}], [0:{3}]}\n"
                       "before = f32[{0},{1}] concatenate(x, y), dimensions={ 1 }\n"
                       "s = f32[{0},{1}] add(above, before)\nt = f32[{0},{1}] add(s, a)\n"
                       "ROOT p = f32[{0},{1}] multiply(t, b)\n",
                       {rows, columns, rows - 1, columns - by, by}));
}

// A with its halves swapped, one of them negated, times B.
std::string Rotated(int rows, int columns) {
  const std::string shape = Filled("f32[{0},{1}]", {rows, columns});
  return Fusion(shape, TwoOf(shape),
                Filled("x = f32[{0},{2}] slice(a), slice={[0:{0}], [0:{2}]}\n"
                       "y = f32[{0},{3}] slice(a), slice={[0:{0}], [{2}:{1}]}\n"
                       "n = f32[{0},{3}] negate(y)\n"
                       "c = f32[{0},{1}] concatenate(n, x), dimensions={ 1 }\n"
                       "ROOT p = f32[{0},{1}] multiply(c, b)\n",
                       {rows, columns, columns / 2, columns - columns / 2}));
}

TEST(LoopBoxes, Rolled) {
  ExpectKernel(Rolled(5, 15));
  ExpectKernel(Rolled(5, 16));
  ExpectKernel(Rolled(7, 33));
  ExpectKernel(Rolled(300, 77, 40));
  ExpectKernel(Rolled(3, 40000));  // in chunks
}

TEST(LoopBoxes, Rotated) {
  ExpectKernel(Rotated(1, 31));
  ExpectKernel(Rotated(1, 5001));
  ExpectKernel(Rotated(9, 128));
}

TEST(LoopBoxes, LargeResultsAreStreamed) {
  ExpectKernel(Rolled(2100, 4100));  // with a segment of one position
  ExpectKernel(Rolled(2100, 4100, 5));
  ExpectKernel(Rotated(1, 8500001));
  ExpectKernel(Rotated(2100, 4096));  // in whole blocks
  ExpectKernel(Rotated(3, 3000000));  // in chunks
}

TEST(LoopBoxes, Padded) {
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"1_2x3_7", "f32[7,60]"},   {"2_0x0_9", "f32[6,59]"},      {"0_0x40_0", "f32[4,90]"},
      {"-1_1x2_-3", "f32[4,49]"}, {"1_1_1x3_2_1", "f32[9,104]"},
  };
  for (const auto& [padding, shape] : kinds) {
    ExpectKernel(Fusion(shape, "a = f32[4,50] parameter(0)\nb = f32[] parameter(1)\n",
                        "p = " + shape + " pad(a, b), padding=" + padding + "\nROOT n = " + shape +
                            " negate(p)\n"));
  }
}

TEST(LoopBoxes, TooManyParts) {
  std::string ops;
  std::string names;
  for (int i = 0; i < 20; ++i) {
    ops += Filled("s{0} = f32[3,5] slice(a), slice={[0:3], [{0}:{1}]}\n", {i, i + 5});
    names += (i == 0 ? "s" : ", s") + std::to_string(i);
  }
  ops += "c = f32[3,100] concatenate(" + names + "), dimensions={1}\n";
  ops += "ROOT p = f32[3,100] multiply(c, b)\n";
  ExpectKernel(
      Fusion("f32[3,100]", "a = f32[3,30] parameter(0)\nb = f32[3,100] parameter(1)\n", ops));
}

TEST(LoopBoxes, SplitsTheInnermostDimensionFirst) {
  LoopSpace loops{.dims = {8, 64}, .groups = {{0}, {1}}, .changes = {{3}, {1, 63}}, .values = 10};
  const LoopBoxes split(loops, false, 4000);
  ASSERT_EQ(split.inner().size(), 3);
  EXPECT_EQ(split.inner_dim(), 1);
  EXPECT_EQ(split.inner()[1].begin, 1);
  EXPECT_EQ(split.inner()[1].size, 62);
  EXPECT_TRUE(LoopBoxes(loops, true, 4000).inner().empty());  // a segment of one position
  EXPECT_TRUE(LoopBoxes(loops, false, 25).inner().empty());   // too much code for this kernel
  loops.values = 2000;
  EXPECT_TRUE(LoopBoxes(loops, false, 4000).inner().empty());  // too much code
  loops = {.dims = {64, 8}, .groups = {{0}, {1}}, .changes = {{}, {4}}, .values = 10};
  EXPECT_TRUE(LoopBoxes(loops, false, 4000).inner().empty());  // too short
}

}  // namespace
}  // namespace halo
