// Text that is put into a phrase becomes printable, and nothing else changes.
#include "tools/halo/terminal/phrase.h"

#include <vector>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace halo::tool {
namespace {

TEST(Phrase, TextIsData) {
  const std::string name = "a\nb\033[0m";
  const std::string_view view = "\x9B";
  const char* pointer = "\u202E";
  EXPECT_EQ(Phrase("{}\n{} {}", name, view, pointer), "a\\x0ab\\x1b[0m\n\\x9b \\xe2\\x80\\xae");
  EXPECT_EQ(Phrase("{:>6}|{:<6}|", "a\t", std::string("b")), " a\\x09|b     |");
}

TEST(Phrase, OtherValuesStay) {
  EXPECT_EQ(Phrase("{} {:.2f} {} {{}}", 7, 1.5, fmt::join(std::vector<int>{1, 2}, ",")),
            "7 1.50 1,2 {}");
  EXPECT_EQ(Phrase("{}", Phrase("{}", "a\rb")), "a\\x0db");
}

}  // namespace
}  // namespace halo::tool
