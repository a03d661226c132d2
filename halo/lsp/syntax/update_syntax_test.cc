// Tests that an updated syntax is that of the edited text.
#include "halo/lsp/syntax/update_syntax.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace halo::lsp {
namespace {

constexpr std::string_view kUpdated = R"(%first (a: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  ROOT %n = f32[] negate(%a), metadata={op_name="x/*y"}
}

ENTRY %main (p.1: f32[8,2]) -> (f32[], s32[]) {
  %p.1 = f32[8,2]{1,0:T(8,128)} parameter(0)
  %r = (f32[], /*index=1*/s32[]) fusion(%p.1, %p.1), kind=kLoop, calls=%first
  c = f32[2,2] constant({ {1, inf},
    {-3e-2, 4} })
    deep = f32[] add(c, c)
  %d = f32[2] add(c, c), metadata={op_name="a"}
  /* a comment over
     lines */
  %e = f32[2] add(%d, %d)
  ROOT %t = (f32[]) tuple(c), metadata={op_name="x(y) = \"z\"" source_line=3}
}

%last {
  ROOT z = f32[] constant(0)
}
)";

bool SameSyntax(const Syntax& a, const Syntax& b) {
  const auto same_word = [](const Word& x, const Word& y) {
    return x.begin == y.begin && x.length == y.length && x.kind == y.kind &&
           x.instruction == y.instruction;
  };
  const auto same_inst = [](const InstructionSyntax& x, const InstructionSyntax& y) {
    return x.begin == y.begin && x.end == y.end && x.name == y.name && x.opcode == y.opcode &&
           x.operands == y.operands && x.operands_end == y.operands_end &&
           x.computation == y.computation && x.is_root == y.is_root;
  };
  const auto same_comp = [](const ComputationSyntax& x, const ComputationSyntax& y) {
    return x.begin == y.begin && x.end == y.end && x.name == y.name && x.first == y.first &&
           x.count == y.count && x.is_entry == y.is_entry;
  };
  return std::equal(a.words.begin(), a.words.end(), b.words.begin(), b.words.end(), same_word) &&
         std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(),
                    b.instructions.end(), same_inst) &&
         std::equal(a.computations.begin(), a.computations.end(), b.computations.begin(),
                    b.computations.end(), same_comp);
}

TEST(LspUpdateSyntaxTest, OneInstructionIsReadAgain) {
  std::string text(kUpdated);
  Syntax syntax = ReadSyntax(text);
  const size_t at = text.find("add(%d, %d)");
  std::string after = text;
  after.replace(at, 3, "multiply");
  SyntaxChange change;
  ASSERT_TRUE(UpdateSyntax(text, after, {at, at + 3, at + 8}, syntax, change));
  EXPECT_TRUE(SameSyntax(syntax, ReadSyntax(after)));
  EXPECT_LT(change.new_end - change.begin, 150U);
}

TEST(LspUpdateSyntaxTest, RandomEditsGiveWhatAFreshReadGives) {
  constexpr std::string_view kInserted[] = {
      "x",   "\n",   "(",       ")",           "{",
      "}",   "/*",   "*/",      "\"",          "  %x = f32[] y(%a)\n",
      ",",   "%",    "= ",      "ROOT ",       "ENTRY ",
      "\n}", "    ", "\nq {\n", "HloModule h", "/*index=2*/",
  };
  std::mt19937_64 random(7);
  const auto below = [&](size_t limit) { return limit == 0 ? 0 : random() % limit; };
  size_t updated = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text(kUpdated);
    Syntax syntax = ReadSyntax(text);
    for (int step = 0; step < 40; ++step) {
      const size_t begin = below(text.size() + 1);
      const size_t end = below(2) == 0 ? begin : std::min(text.size(), begin + below(20));
      const std::string inserted(below(3) == 0 ? "" : kInserted[below(std::size(kInserted))]);
      std::string after = text;
      after.replace(begin, end - begin, inserted);
      SyntaxChange change;
      const ByteEdit edit = {begin, end, begin + inserted.size()};
      if (UpdateSyntax(text, after, edit, syntax, change)) {
        ++updated;
        ASSERT_TRUE(SameSyntax(syntax, ReadSyntax(after))) << "before:\n"
                                                           << text << "\nafter:\n"
                                                           << after;
      } else {
        syntax = ReadSyntax(after);
      }
      text = std::move(after);
    }
  }
  EXPECT_GT(updated, 1000U);
}

}  // namespace
}  // namespace halo::lsp
