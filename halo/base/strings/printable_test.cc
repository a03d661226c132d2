// Printable escapes what acts on a terminal or cannot be seen, and nothing else.
#include "halo/base/strings/printable.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(Printable, LeavesWhatCanBeSeen) {
  for (const std::string_view text :
       {"", "jit_step", "a b\\n", "größe", "层/注意力", "🙂", "❤️", "é", "\x7E"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, EscapesControls) {
  EXPECT_EQ(Printable("a\033[31mb\033]0;t\007\n"), "a\\x1b[31mb\\x1b]0;t\\x07\\x0a");
  EXPECT_EQ(Printable(std::string_view("\0\t\r\x7F", 4)), "\\x00\\x09\\x0d\\x7f");
  EXPECT_EQ(Printable("\xC2\x9B"
                      "31m\xC2\x80\xC2\x9F\xC2\xA0"),
            "\\xc2\\x9b31m\\xc2\\x80\\xc2\\x9f\xC2\xA0");
}

// Every byte that is no UTF-8, among them the C1 controls of terminals that use eight bits.
TEST(Printable, EscapesInvalidUtf8) {
  EXPECT_EQ(Printable("x/\x9B"
                      "31mRED\x9D"
                      "0;t\x9C"),
            "x/\\x9b31mRED\\x9d0;t\\x9c");
  EXPECT_EQ(Printable("\xC0\x9B"), "\\xc0\\x9b");           // overlong
  EXPECT_EQ(Printable("\xE0\x82\x9B"), "\\xe0\\x82\\x9b");  // overlong
  EXPECT_EQ(Printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(Printable("a\xE2\x80"), "a\\xe2\\x80");  // cut
  EXPECT_EQ(Printable("\xC3\033"), "\\xc3\\x1b");    // an escape in place of the rest
  EXPECT_EQ(Printable("\xFF\xFE"), "\\xff\\xfe");
}

TEST(Printable, EscapesWhatIsNotSeen) {
  for (const std::string_view text :
       {"\u061C", "\u200B", "\u200D", "\u200E",     "\u200F",     "\u2028",    "\u2029",
        "\u202A", "\u202E", "\u2060", "\u2066",     "\u2069",     "\u206F",    "\u00AD",
        "\uFEFF", "\uFFFB", "\uFFFE", "\U000E0001", "\U000E0041", "\U000E0100"}) {
    const std::string escaped = Printable(text);
    EXPECT_EQ(escaped.size(), 4 * text.size()) << escaped;
    EXPECT_TRUE(escaped.starts_with("\\x")) << escaped;
  }
  EXPECT_EQ(Printable("a\u202Eb"), "a\\xe2\\x80\\xaeb");
}

TEST(Printable, EscapedTextStays) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string once = Printable(all);
  EXPECT_EQ(Printable(once), once);
}

}  // namespace
}  // namespace halo
