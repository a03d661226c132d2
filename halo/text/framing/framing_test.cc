// Log prefixes and frames, one at a time. Whole captures are golden files under tests/framing.
#include "halo/text/framing/framing.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/text/framing/log_prefix.h"

namespace halo {
namespace {

TEST(LogPrefix, KnownForms) {
  const struct {
    const char* line;
    size_t length;
    const char* site;
  } cases[] = {
      {"I0101 12:34:56.789012 77 a.cc:12] x", 34, "a.cc:12"},
      {"W0101 12:34:56.789012    77 dir/a.cc:12] x", 41, "dir/a.cc:12"},
      {"E20260101 12:34:56.789012 77 a.cc:12] x", 38, "a.cc:12"},
      {"I0000 00:00:1767225600.123456     123 a.cc:9] x", 46, "a.cc:9"},
      {"2026-01-01 12:00:00.000000: F a.cc:12] x", 39, "a.cc:12"},
      {"2026-01-01T12:00:00.5: I a.cc:12]x", 33, "a.cc:12"},
      {"3: I0101 12:34:56.789012 77 a.cc:12] x", 37, "a.cc:12"},
      {"12: x", 4, ""},
      {"[1,0]<stdout>:x", 14, ""},
  };
  for (const auto& each : cases) {
    const LogPrefix prefix = FindLogPrefix(each.line);
    EXPECT_EQ(prefix.length, each.length) << each.line;
    EXPECT_EQ(prefix.site, each.site) << each.line;
  }
}

TEST(LogPrefix, HloIsNone) {
  for (const char* line : {"", "HloModule m", "  %x = f32[4]{0} parameter(0)", "1 \"file.py\"",
                           "I0101 12:34:56 a.cc:12]", "ENTRY %main (x: f32[4]) -> f32[4] {",
                           "2026-01-01", "I = f32[] parameter(0)", "1 {file_name_id=1}", "[1,0]"}) {
    EXPECT_EQ(FindLogPrefix(line).length, 0u) << line;
  }
}

TEST(LogPrefix, SourcesAreCompared) {
  const LogPrefix a = FindLogPrefix("0: I0101 12:34:56.789012 77 a.cc:12] x");
  EXPECT_TRUE(a.SameSource(FindLogPrefix("0: W0101 13:00:00.000001 99 a.cc:12] y")));
  EXPECT_FALSE(a.SameSource(FindLogPrefix("1: I0101 12:34:56.789012 77 a.cc:12] x")));
  EXPECT_FALSE(a.SameSource(FindLogPrefix("0: I0101 12:34:56.789012 77 a.cc:13] x")));
  EXPECT_FALSE(LogPrefix{}.SameSource(a));
}

FramedText Split(const std::string& text) { return SplitText(SourceBuffer::Copy(text, "t")); }

TEST(Framing, OneModuleIsLeftAlone) {
  EXPECT_TRUE(Split("HloModule m\nENTRY e {\n}\n").sections.empty());
  EXPECT_TRUE(Split("// comment\n\nHloModule m\nENTRY e {\n}\ntrailing\n").sections.empty());
  EXPECT_TRUE(Split("ENTRY e {\n}\n").sections.empty());
  EXPECT_TRUE(Split("").sections.empty());
  EXPECT_TRUE(Split("the HloModule m is not at the front of a line\n").sections.empty());
}

TEST(Framing, OffsetsStayTrue) {
  const std::string text =
      "x\n*** Begin a ***\nHloModule a\n*** End a ***\ny\n*** Begin b ***\nHloModule b\n*** End b "
      "***\n";
  const FramedText split = Split(text);
  ASSERT_EQ(split.sections.size(), 2u);
  EXPECT_TRUE(split.framed);
  EXPECT_EQ(split.sections[0].name, "a");
  EXPECT_EQ(split.sections[0].text.bytes(), "HloModule a\n");
  EXPECT_EQ(split.sections[0].lines_before, 2u);
  EXPECT_EQ(split.sections[1].bytes_before, text.find("HloModule b"));
  EXPECT_EQ(split.sections[1].lines_before, 6u);
}

TEST(Framing, FramesWithoutAnEnd) {
  const FramedText split = Split("*** Begin a ***\nHloModule a\n*** Begin b ***\nHloModule b\n");
  ASSERT_EQ(split.sections.size(), 2u);
  EXPECT_EQ(split.sections[0].text.bytes(), "HloModule a\n");
  EXPECT_EQ(split.sections[1].text.bytes(), "HloModule b\n");
  EXPECT_FALSE(Split("*** Begin ***\n").framed);
  EXPECT_FALSE(Split("*** Begin a\n").framed);
}

TEST(Framing, PrefixesBecomeBlanks) {
  const std::string prefix = "I0101 12:34:56.789012 77 a.cc:12] ";
  const FramedText split =
      Split(prefix + "HloModule m\n" + prefix + "ENTRY e {\nnoise\n" + prefix + "}\n");
  ASSERT_EQ(split.sections.size(), 1u);
  const std::string blank(prefix.size(), ' ');
  EXPECT_EQ(split.sections[0].text.bytes(),
            blank + "HloModule m\n" + blank + "ENTRY e {\n     \n" + blank + "}\n");
  EXPECT_EQ(split.prefixed_lines, 3u);
  EXPECT_EQ(split.foreign_lines, 1u);
}

TEST(Framing, ManyModulesTakeOnePass) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "HloModule m" + std::to_string(i) + "\nENTRY e {\n}\n";
  const FramedText split = Split(text);
  ASSERT_EQ(split.sections.size(), 20000u);
  EXPECT_EQ(split.sections.back().lines_before, 59997u);
}

}  // namespace
}  // namespace halo
