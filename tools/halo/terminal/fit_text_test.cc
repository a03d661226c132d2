// Tests that text fits its width, and that fitting it loses neither dimensions nor digits.
#include "tools/halo/terminal/fit_text.h"

#include <gtest/gtest.h>

namespace halo::tool {
namespace {

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(DisplayWidth(""), 0U);
  EXPECT_EQ(DisplayWidth("abc"), 3U);
  EXPECT_EQ(DisplayWidth("▁▂…"), 3U);
  EXPECT_EQ(DisplayWidth("日本"), 4U);
  EXPECT_EQ(DisplayWidth("\033[1;31mbad\033[0m"), 3U);
  EXPECT_EQ(DisplayWidth("\xff\xfe"), 2U);
}

TEST(FitName, LosesTheMiddle) {
  EXPECT_EQ(FitName("fusion.12", 9), "fusion.12");
  EXPECT_EQ(FitName("all_gather_fusion.12", 10), "all_…on.12");
  EXPECT_EQ(FitName("all_gather_fusion.12", 0), "all_gather_fusion.12");
  EXPECT_EQ(DisplayWidth(FitName("日本日本日本日本", 7)), 5U);
}

TEST(FitShape, DropsTilingThenLayout) {
  const std::string shape = "f32[4,16,2048,2048]{3,2,1,0:T(8,128)}";
  EXPECT_EQ(FitShape(shape, 0), shape);
  EXPECT_EQ(FitShape(shape, 37), shape);
  EXPECT_EQ(FitShape(shape, 36), "f32[4,16,2048,2048]{3,2,1,0}");
  EXPECT_EQ(FitShape(shape, 27), "f32[4,16,2048,2048]");
  EXPECT_EQ(FitShape(shape, 5), "f32[4,16,2048,2048]");
}

TEST(FitShape, CountsWhatATupleDoesNotShow) {
  const std::string shape = "(f32[2,3]{1,0}, bf16[4]{0}, s32[], u8[7]{0})";
  EXPECT_EQ(FitShape(shape, 40), "(f32[2,3], bf16[4], s32[], u8[7])");
  EXPECT_EQ(FitShape(shape, 30), "(f32[2,3], bf16[4], … 2 more)");
  EXPECT_EQ(FitShape(shape, 8), "(f32[2,3], … 3 more)");
  EXPECT_EQ(FitShape(shape, 20, 3), "(f32[2,3], bf16[4], s32[], u8[7])");
}

TEST(WrapText, BreaksAtSpaces) {
  EXPECT_EQ(WrapText("one two three four", 9, 2), "one two\n  three\n  four");
  EXPECT_EQ(WrapText("one two", 0, 2), "one two");
  EXPECT_EQ(WrapText("a  b\n\nc", 10, 2), "a  b\n\nc");
}

TEST(WrapText, BreaksLongWordsButNoNumbers) {
  EXPECT_EQ(WrapText("model/layer_0/attention/dot", 15, 0), "model/layer_0/\nattention/dot");
  EXPECT_EQ(WrapText("f32[4096,8192,16384]", 12, 0), "f32[4096,\n8192,16384]");
  EXPECT_EQ(WrapText("xxxxxxxx12345678", 12, 0), "xxxxxxxx\n12345678");
  EXPECT_EQ(WrapText("aaaaaaaaaaaa", 5, 0), "aaaaa\naaaaa\naa");
}

TEST(LabelledText, WrapsBesideTheLabel) {
  EXPECT_EQ(LabelledText("memory", 8, "one two three", 17), "  memory  one two\n          three\n");
}

TEST(FitLines, WrapsOnlyWhatIsTooLong) {
  EXPECT_EQ(FitLines("short\n  one two three\n", 11), "short\n  one two\n    three\n");
  EXPECT_EQ(FitLines("one two three", 0), "one two three");
}

TEST(FitLines, KeepsTheCaretUnderItsColumn) {
  const std::string line =
      "  ROOT r = f32[4,8]{1,0} add(first_operand, second_operand), metadata={...}";
  for (const size_t column : {5U, 30U, 46U, 70U}) {
    const std::string text =
        "a:1:2: error\n" + line + "\n" + std::string(column, ' ') + "\033[1;32m^\033[0m\n  help\n";
    const std::string fitted = FitLines(text, 40);
    const size_t excerpt = fitted.find('\n') + 1;
    const size_t caret = fitted.find('\n', excerpt) + 1;
    EXPECT_LE(caret - 1 - excerpt, 40U) << fitted;
    const size_t at = fitted.find_first_not_of(' ', caret) - caret;
    EXPECT_EQ(fitted[excerpt + at], line[column]) << fitted;
    EXPECT_TRUE(fitted.ends_with("^\033[0m\n  help\n")) << fitted;
  }
}

TEST(Painted, OnlyWithColor) {
  EXPECT_EQ(Painted("x", Paint::kBad, false), "x");
  EXPECT_EQ(Painted("x", Paint::kBad, true), "\033[1;31mx\033[0m");
}

}  // namespace
}  // namespace halo::tool
