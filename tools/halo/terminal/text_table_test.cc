// Tests the layout of tables at several widths.
#include "tools/halo/terminal/text_table.h"

#include <gtest/gtest.h>

#include "tools/halo/terminal/fit_text.h"

namespace halo::tool {
namespace {

TextTable Example() {
  TextTable table("rsn");
  table.Add({"bytes", "shape", "name"});
  table.Add({"1.50GiB", "f32[4,16,2048,2048]{3,2,1,0:T(8,128)}", "transformer/layer_0/attention"});
  table.Add({"3B", "pred[3]{0}", "loop"});
  return table;
}

size_t Widest(const std::string& text) {
  size_t widest = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    widest = std::max(widest, DisplayWidth(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

TEST(TextTable, AlignsColumns) {
  TextTable table("rl");
  table.Add({"1", "a"});
  table.Add({"12", "bc"});
  EXPECT_EQ(table.Text(1), "  1  a\n 12  bc\n");
  EXPECT_EQ(table.Text(1, 60), "  1  a\n 12  bc\n");
}

TEST(TextTable, FitsEveryWidth) {
  const TextTable table = Example();
  for (size_t width = 40; width < 100; ++width) {
    const std::string text = table.Text(2, width);
    EXPECT_LE(Widest(text), width) << text;
    EXPECT_NE(text.find("f32[4,16,2048,2048]"), std::string::npos) << text;
    EXPECT_NE(text.find("1.50GiB"), std::string::npos) << text;
  }
}

TEST(TextTable, ShapesLoseTheirLayoutFirst) {
  EXPECT_EQ(Example().Text(0, 60),
            "  bytes  shape                name\n"
            "1.50GiB  f32[4,16,2048,2048]  transformer/layer_0/attention\n"
            "     3B  pred[3]              loop\n");
}

TEST(TextTable, ColumnsWithoutSpaceMoveToTheNextLine) {
  EXPECT_EQ(Example().Text(0, 44),
            "  bytes  shape\n"
            "    name\n"
            "1.50GiB  f32[4,16,2048,2048]\n"
            "    transformer/layer_0/attention\n"
            "     3B  pred[3]\n"
            "    loop\n");
}

TEST(TextTable, LongProsePushesOnlyItsOwnRow) {
  TextTable table("tn");
  const std::string text(300, 'x');
  table.Add({"what", "for example"});
  table.Add({text, "add.1"});
  table.Add({"constant removed", "constant.98"});
  EXPECT_EQ(table.Text(0), "what              for example\n" + text +
                               "  add.1\n"
                               "constant removed  constant.98\n");
}

TEST(TextTable, ProseWrapsInItsColumn) {
  TextTable table("lt");
  table.Add({"rule", "one two three four five six seven eight"});
  EXPECT_EQ(table.Text(2, 36),
            "  rule  one two three four five six\n"
            "        seven eight\n");
}

TEST(TextTable, CellsAreData) {
  TextTable table("ln");
  table.Add({"a\nforged", "\033[1;31mred\x9B"});
  table.Add({"b", "c"});
  EXPECT_EQ(table.Text(0), "a\\x0aforged  \\x1b[1;31mred\\x9b\nb            c\n");
}

}  // namespace
}  // namespace halo::tool
