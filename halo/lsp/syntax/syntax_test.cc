// Tests what words are found to be.
#include "halo/lsp/syntax/syntax.h"

#include <string>

#include <gtest/gtest.h>

namespace halo::lsp {
namespace {

// Words of one kind, with blanks between them.
std::string WordsOf(std::string_view text, WordKind kind) {
  std::string words;
  for (const Word& word : ReadSyntax(text).words) {
    if (word.kind != kind) continue;
    words += (words.empty() ? "" : " ") + std::string(TextOf(text, word));
  }
  return words;
}

constexpr std::string_view kText = R"(ENTRY %main (p.1: f32[8,2]) -> (f32[], s32[]) {
  %p.1 = f32[8,2]{1,0:T(8,128)} parameter(0)
  %r = (f32[], /*index=1*/s32[]) fusion(f32[8,2]{1,0} %p.1, %p.1#0), kind=kLoop, calls={%a, b}, control-predecessors={%p.1}
  c = f32[2,2] constant({ {1, inf},
    {-3e-2, 4} })
  ROOT %t = (f32[]) tuple(c), metadata={op_name="x(y) = \"z\"" source_line=3}
} // main
)";

TEST(LspSyntaxTest, WordsHaveKinds) {
  EXPECT_EQ(WordsOf(kText, WordKind::kComputation), "main");
  EXPECT_EQ(WordsOf(kText, WordKind::kSignatureName), "p.1");
  EXPECT_EQ(WordsOf(kText, WordKind::kInstruction), "p.1 r c t");
  EXPECT_EQ(WordsOf(kText, WordKind::kOpcode), "parameter fusion constant tuple");
  EXPECT_EQ(WordsOf(kText, WordKind::kInstructionUse), "p.1 p.1 p.1 c");
  EXPECT_EQ(WordsOf(kText, WordKind::kComputationUse), "a b");
  EXPECT_EQ(WordsOf(kText, WordKind::kKeyword), "ENTRY ROOT");
  EXPECT_EQ(WordsOf(kText, WordKind::kAttribute),
            "kind calls control-predecessors metadata op_name source_line");
}

TEST(LspSyntaxTest, InstructionsAndComputationsHaveTheirLines) {
  const Syntax syntax = ReadSyntax(kText);
  ASSERT_EQ(syntax.computations.size(), 1U);
  EXPECT_TRUE(syntax.computations[0].is_entry);
  EXPECT_EQ(syntax.computations[0].count, 4U);
  EXPECT_EQ(kText[syntax.computations[0].end - 1], '}');
  const size_t inside = kText.find("-3e-2");
  ASSERT_NE(syntax.InstructionAt(inside), nullptr);
  EXPECT_EQ(TextOf(kText, syntax.words[syntax.InstructionAt(inside)->name]), "c");
}

TEST(LspSyntaxTest, MistakesEndWithTheNextInstruction) {
  constexpr std::string_view kBroken =
      "c {\n  a = f32[ parameter(0\n  b = f32[] negate(a), metadata={op_name=\"\n  ROOT d = f32[] "
      "add(a, b)\n}\n";
  EXPECT_EQ(WordsOf(kBroken, WordKind::kInstruction), "a b d");
  EXPECT_EQ(ReadSyntax(kBroken).computations[0].count, 3U);
}

TEST(LspSyntaxTest, AStatementIsFoundBeforeAnyByte) {
  const size_t inside = kText.find("-3e-2");
  EXPECT_EQ(StatementBefore(kText, inside), kText.find("  c = "));
  EXPECT_EQ(StatementBefore(kText, 3), 0U);
}

}  // namespace
}  // namespace halo::lsp
