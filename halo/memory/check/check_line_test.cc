// Lines as dumps print them.
#include "halo/memory/check/check_line.h"

#include <gtest/gtest.h>

namespace halo::check {
namespace {

TEST(InstLine, ReadsOpcodeOperandsAndAliasing) {
  const InstLine line = ReadInstLine(
      "%f = (f32[8]{0:T(128)}, /*index=1*/f32[8]{0}) fusion(%a, (f32[2]{0}, s32[]) %b), "
      "kind=kLoop, output_to_operand_aliasing={{0}: (1, {}), {1}: (0, {2,3})}, calls=%c");
  EXPECT_EQ(line.opcode, Opcode::kFusion);
  EXPECT_EQ(line.operands, 2);
  ASSERT_EQ(line.aliasing.size(), 2U);
  EXPECT_EQ(line.aliasing[0].operand, 1);
  EXPECT_EQ(line.aliasing[0].output_index, std::vector<int64_t>{0});
  EXPECT_EQ(line.aliasing[1].operand_index, (std::vector<int64_t>{2, 3}));
}

TEST(InstLine, KnowsOpsThatUpdateInPlace) {
  std::vector<LinePair> pairs;
  PairsOfLine(ReadInstLine("d = f32[8]{0} dynamic-update-slice(p, u, i)"), {}, pairs);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].operand, 0);
  pairs.clear();
  PairsOfLine(ReadInstLine("n = f32[8]{0} negate(p)"), {}, pairs);
  EXPECT_TRUE(pairs.empty());
}

TEST(InstLine, TellsShortAsyncFormsFromOpsOfTheirOwn) {
  EXPECT_TRUE(ReadInstLine("s = ((f32[8]), f32[4], s32[]) slice-start(p)").is_async);
  EXPECT_FALSE(ReadInstLine("s = (f32[8], f32[8], u32[]) copy-start(p)").is_async);
}

TEST(InstLine, TakesAnyText) {
  for (const char* text : {"", " = ", "a = (", "a = f32[] ", "a = f32[] add(", "a = x y{(",
                           "a = f32[] add(), output_to_operand_aliasing={{"}) {
    ReadInstLine(text);
  }
}

}  // namespace
}  // namespace halo::check
