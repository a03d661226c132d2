// Names that text can hold are written as they are; one with a control character cannot end a line.
#include "halo/text/write/write_name.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

std::string Written(std::string_view name) {
  TextBuffer out;
  WriteName(name, out);
  return std::string(out.view());
}

TEST(WriteName, OnlyControlCharactersAreEscaped) {
  for (const std::string_view name : {"", "add.1", "größe", "a b", "\u202E", "\xFF"}) {
    EXPECT_EQ(Written(name), name);
  }
  EXPECT_EQ(Written("a\nROOT b = f32[] x()"), "a\\x0aROOT b = f32[] x()");
  EXPECT_EQ(Written("a\033[31m\x7F\u202E"), "a\\x1b[31m\\x7f\\xe2\\x80\\xae");
}

}  // namespace
}  // namespace halo
