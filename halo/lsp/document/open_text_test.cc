// Tests that edits lead to what a fresh read reports.
#include "halo/lsp/document/open_text.h"

#include <string>

#include <gtest/gtest.h>

namespace halo::lsp {
namespace {

constexpr std::string_view kProgram = R"(HloModule m

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main (p: f32[4]) -> f32[] {
  %p = f32[4]{0} parameter(0)
  %zero = f32[] constant(0)
  ROOT %r = f32[] reduce(%p, %zero), dimensions={0}, to_apply=%add
}
)";

OpenText Opened() {
  OpenTextOptions options;
  options.check_whole_bytes = 0;
  OpenText text("file:///m.hlo", 1, std::string(kProgram), options);
  text.Accept(ReadWhole(text.RequestWhole()));
  return text;
}

std::string CodesOf(const OpenText& text) {
  std::string codes;
  for (const CheckNote& note : text.Notes().notes) {
    codes += std::to_string(note.diagnostic.location.line) + ":" + std::string(note.label()) + " ";
  }
  return codes;
}

TEST(LspOpenTextTest, AnEditIsAnsweredAtOnce) {
  OpenText text = Opened();
  EXPECT_EQ(CodesOf(text), "");
  EXPECT_TRUE(text.Notes().is_exact);
  text.Edit({{11, 12}, {11, 12}}, Encoding::kUtf16, "\n");
  text.Edit({{5, 24}, {5, 26}}, Encoding::kUtf16, "%c");
  EXPECT_TRUE(text.Notes().is_exact);
  EXPECT_EQ(CodesOf(text), "6:unknown-operand ");
  // Lines before it move it.
  text.Edit({{2, 0}, {2, 0}}, Encoding::kUtf16,
            "%other () -> f32[] {\n  ROOT %o = f32[] constant(1)\n}\n");
  EXPECT_EQ(CodesOf(text), "9:unknown-operand ");
}

TEST(LspOpenTextTest, AModuleThatBeginsWithinAComputationIsNotReadAlone) {
  OpenText text = Opened();
  text.Edit({{10, 0}, {10, 0}}, Encoding::kUtf16, "  HloModule x\n");
  EXPECT_FALSE(text.Notes().is_exact);
}

// In a large computation, only the lines around an edit are read until the whole text is.
TEST(LspOpenTextTest, AnEditInALargeComputationReadsTheLinesAroundIt) {
  OpenTextOptions options;
  options.check_whole_bytes = 0;
  options.large_bytes = 100;
  OpenText text("file:///m.hlo", 1, std::string(kProgram), options);
  text.Accept(ReadWhole(text.RequestWhole()));
  // An unknown operand, then a line before it, then the right operand again.
  text.Edit({{11, 25}, {11, 27}}, Encoding::kUtf16, "%q");
  EXPECT_EQ(CodesOf(text), "12:unknown-operand ");
  EXPECT_FALSE(text.Notes().is_exact);
  text.Edit({{10, 0}, {10, 0}}, Encoding::kUtf16, "  %one = f32[] constant(1)\n");
  EXPECT_EQ(CodesOf(text), "13:unknown-operand ");
  const std::shared_ptr<const PieceModel> model = text.Model(2);
  EXPECT_TRUE(model->is_read_old);
  EXPECT_EQ(model->syntax.instructions.size(), 4U);
  text.Edit({{12, 25}, {12, 27}}, Encoding::kUtf16, "%p");
  EXPECT_EQ(CodesOf(text), "");
  // A computation that does not exist.
  text.Edit({{12, 63}, {12, 66}}, Encoding::kUtf16, "sum");
  EXPECT_EQ(CodesOf(text), "13:unknown-computation ");
  text.Edit({{12, 63}, {12, 66}}, Encoding::kUtf16, "add");
  EXPECT_EQ(CodesOf(text), "");
  text.Accept(ReadWhole(text.RequestWhole()));
  EXPECT_FALSE(text.Model(2)->is_read_old);
  EXPECT_TRUE(text.Notes().is_exact);
}

TEST(LspOpenTextTest, MissingComputationsAreKnownFromTheNames) {
  OpenText text = Opened();
  text.Edit({{11, 63}, {11, 66}}, Encoding::kUtf16, "sum");
  EXPECT_TRUE(text.Notes().is_exact);
  EXPECT_EQ(CodesOf(text), "12:unknown-computation ");
  // Without a definition, others may refer to it: that takes a read of the whole text.
  text = Opened();
  text.Edit({{2, 1}, {2, 4}}, Encoding::kUtf16, "sum");
  EXPECT_FALSE(text.Notes().is_exact);
  EXPECT_TRUE(text.Accept(ReadWhole(text.RequestWhole())));
  EXPECT_EQ(CodesOf(text), "12:unknown-computation ");
}

TEST(LspOpenTextTest, TheVerifierLooksAtTheEditedComputation) {
  OpenText text = Opened();
  text.Edit({{5, 14}, {5, 19}}, Encoding::kUtf16, "f32[3]");
  EXPECT_FALSE(CodesOf(text).empty());
  EXPECT_FALSE(text.Notes().is_verified);
}

TEST(LspOpenTextTest, AResultAboutAnEarlierTextIsNotShown) {
  OpenText text = Opened();
  const WholeRequest before = text.RequestWhole();
  text.Edit({{5, 24}, {5, 26}}, Encoding::kUtf16, "%c");
  EXPECT_FALSE(text.Accept(ReadWhole(before)));
  EXPECT_EQ(CodesOf(text), "6:unknown-operand ");
  EXPECT_TRUE(text.NeedsWhole());
}

TEST(LspOpenTextTest, UrisBecomePaths) {
  EXPECT_EQ(PathOfUri("file:///a%20b/c.hlo"), "/a b/c.hlo");
  EXPECT_EQ(PathOfUri("untitled:Untitled-1"), "untitled:Untitled-1");
}

}  // namespace
}  // namespace halo::lsp
