// Quoted strings: what is escaped, what is accepted, what is rejected.
#include "halo/base/strings/escape.h"

#include <string>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(Escape, SpellsAsXlaDoes) {
  EXPECT_EQ(CEscaped("plain/name[1]"), "plain/name[1]");
  EXPECT_EQ(CEscaped("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(CEscaped("\"'\\"), "\\\"\\'\\\\");
  EXPECT_EQ(CEscaped(std::string_view("\0\x7F\xC3\xA9", 4)), "\\000\\177\\303\\251");
}

TEST(Escape, EveryByteComesBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(CUnescaped(CEscaped(all)), all);
}

TEST(Escape, UnderstandsOtherForms) {
  EXPECT_EQ(CUnescaped("\\x41\\x7e"), "A~");
  EXPECT_EQ(CUnescaped("\\u00e9"), "\xC3\xA9");
  EXPECT_EQ(CUnescaped("\\U0001F600"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(CUnescaped("\\1\\12\\1234"), std::string("\1\12\1234"));
  EXPECT_EQ(CUnescaped("\\a\\b\\f\\v\\?"), "\a\b\f\v?");
}

TEST(Escape, RefusesMalformedOnes) {
  for (const char* text :
       {"\\", "a\\", "\\q", "\\x", "\\xg", "\\x123", "\\400", "\\u12", "\\ud800", "\\U00110000"}) {
    EXPECT_EQ(CUnescaped(text), std::nullopt) << text;
  }
}

TEST(Escape, JsonDicts) {
  EXPECT_TRUE(LooksLikeJsonDict("{}"));
  EXPECT_TRUE(LooksLikeJsonDict("{\"a\":{\"b\":\"}\"}} \n"));
  EXPECT_TRUE(LooksLikeJsonDict("{\"a\":\"\\\"}\"}"));
  for (const char* text : {"", "[]", "{", "{}}", "{} x", "{\"a}", "{\"a\\", "x{}"}) {
    EXPECT_FALSE(LooksLikeJsonDict(text)) << text;
  }
}

}  // namespace
}  // namespace halo
