// Checks block copies against the evaluator, and which copies are left to generated code.
#include <string>

#include <gtest/gtest.h>

#include "halo/codegen/test/library_check.h"

namespace halo {
namespace {

std::string Module(const std::string& parameters, const std::string& root) {
  return "HloModule m\nENTRY e {\n" + parameters + "ROOT r = " + root + "\n}\n";
}

TEST(BlockCopyTest, MovesRanges) {
  const std::string two =
      "a = f32[3,70,8]{2,1,0} parameter(0)\nb = f32[3,90,8]{2,1,0} parameter(1)\n";
  EXPECT_EQ(CheckLibraryOp(Module(two, "f32[3,160,8]{2,1,0} concatenate(a, b), dimensions={1}")),
            "");
  EXPECT_EQ(CheckLibraryOp(
                Module("a = bf16[400,5]{0,1} parameter(0)\nb = bf16[200,5]{0,1} parameter(1)\n",
                       "bf16[600,5]{0,1} concatenate(a, b), dimensions={0}")),
            "");
  EXPECT_EQ(CheckLibraryOp(Module("a = f32[9,100] parameter(0)\n",
                                  "f32[4,100] slice(a), slice={[3:7], [0:100]}")),
            "");
  EXPECT_EQ(CheckLibraryOp(Module("a = f32[9,100] parameter(0)\n",
                                  "f32[9,80] slice(a), slice={[0:9], [20:100]}")),
            "");
  EXPECT_EQ(CheckLibraryOp(Module("a = s8[1000]{0} parameter(0)\n", "s8[1000]{0} copy(a)")), "");
  EXPECT_EQ(CheckLibraryOp(Module(
                "a = f32[1,4233,6]{2,1,0} parameter(0)\nb = f32[0,4233,6]{2,1,0} parameter(1)\n",
                "f32[1,4233,6]{2,1,0} concatenate(a, b), dimensions={0}")),
            "");
}

TEST(BlockCopyTest, SumsOfOneDevice) {
  EXPECT_EQ(
      CheckLibraryOp("HloModule m\nsum {\nx = f32[] parameter(0)\ny = f32[] parameter(1)\n"
                     "ROOT s = f32[] add(x, y)\n}\nENTRY e {\na = f32[3,4]{0,1} parameter(0)\n"
                     "ROOT r = f32[3,4]{0,1} all-reduce(a), replica_groups={}, to_apply=sum\n}\n"),
      "");
}

TEST(BlockCopyTest, LeavesTheRestToKernels) {
  for (const std::string& text : {
           Module("a = f32[9,100] parameter(0)\n", "f32[5,100] slice(a), slice={[0:9:2], [0:100]}"),
           Module("a = f32[9,100] parameter(0)\n", "f32[9,10] slice(a), slice={[0:9], [0:10]}"),
           Module("a = f32[9,100] parameter(0)\n", "f32[4,90] slice(a), slice={[0:4], [0:90]}"),
           Module("a = f32[9,100]{0,1} parameter(0)\n", "f32[9,100]{1,0} copy(a)"),
           Module("a = f32[0] parameter(0)\n", "f32[0] copy(a)"),
       }) {
    const TextReadResult read = ReadHloText(text);
    EXPECT_EQ(MakeLibraryOp(read.module, read.module.comp(read.module.entry).root), nullptr)
        << text;
  }
}

}  // namespace
}  // namespace halo
