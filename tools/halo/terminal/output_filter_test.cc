// The filter lets newlines and our own styles pass, also when text comes in pieces.
#include "tools/halo/terminal/output_filter.h"

#include <gtest/gtest.h>

#include "halo/base/strings/text_style.h"

namespace halo::tool {
namespace {

TEST(Filtered, OnlyNewlinesAndOurStyles) {
  EXPECT_EQ(Filtered("a\n\nb\n", true), "a\n\nb\n");
  for (const std::string_view style : text_style::kAll) {
    const std::string text = "x" + std::string(style) + "y";
    EXPECT_EQ(Filtered(text, true), text);
    EXPECT_EQ(Filtered(text, false).find('\033'), std::string::npos);
  }
  EXPECT_EQ(Filtered("\033[31mred\033[2J\033]52;c;eA==\007\r\t\b", true),
            "\\x1b[31mred\\x1b[2J\\x1b]52;c;eA==\\x07\\x0d\\x09\\x08");
  EXPECT_EQ(Filtered("\x9B"
                     "31m\xC2\x9B\u202E\u2028",
                     true),
            "\\x9b31m\\xc2\\x9b\\xe2\\x80\\xae\\xe2\\x80\\xa8");
}

// Wherever a text is divided, the result is that of the whole.
TEST(OutputFilter, PiecesEndAnywhere) {
  const std::string text =
      "\033[1mbold\033[0m größe 层 🙂\n\033[1;35mw\033[0m\033[1\033[1;3x\xF0\x9F\x99 "
      "\xE5\xB1\033[0m\xC3";
  for (const bool styled : {true, false}) {
    const std::string whole = Filtered(text, styled);
    for (size_t first = 0; first <= text.size(); ++first) {
      for (size_t second = first; second <= text.size(); ++second) {
        OutputFilter filter;
        std::string out = filter.Pass(text.substr(0, first), styled);
        out += filter.Pass(text.substr(first, second - first), styled);
        out += filter.Pass(text.substr(second), styled);
        out += filter.Rest();
        ASSERT_EQ(out, whole) << first << ' ' << second;
      }
    }
  }
}

TEST(OutputFilter, KeepsNothingOfAWholeText) {
  OutputFilter filter;
  EXPECT_EQ(filter.Pass("a\033[0m 层\n", true), "a\033[0m 层\n");
  EXPECT_EQ(filter.Rest(), "");
}

}  // namespace
}  // namespace halo::tool
