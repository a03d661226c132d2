// Which outputs of a fusion may be written over an operand.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/memory/check/check_inplace.h"
#include "halo/text/read/read_text.h"

namespace halo::check {
namespace {

// Whether a loop of f32[16] and f32[2,6,16] with this body may write output 0 over operand 0.
bool Overwrites(const std::string& body, const std::string& results = "f32[16]",
                const std::string& kind = "kLoop", CheckRules rules = CheckRules::kGpu) {
  const std::string text = R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
f {
  p = f32[16]{0} parameter(0)
  q = f32[2,6,16]{2,1,0} parameter(1)
  zero = f32[] constant(0)
)" + body + R"(}
ENTRY e {
  x = f32[16]{0} parameter(0)
  y = f32[2,6,16]{2,1,0} parameter(1)
  ROOT r = )" + results +
                           " fusion(x, y), kind=" + kind + ", calls=f\n}\n";
  const TextReadResult read = ReadHloText(text);
  EXPECT_TRUE(read.diagnostics.ok()) << text;
  const Module& module = read.module;
  const Inst& fusion = module.inst(module.comp(module.entry).root);
  std::vector<int64_t> output;
  if (module.shapes.is_tuple(fusion.shape)) output.push_back(0);
  return MayOverwrite(module, fusion, output, 0, rules) == 0;
}

constexpr const char* kRepeated = R"(
  b = f32[2,6,16]{2,1,0} broadcast(p), dimensions={2}
  m = f32[2,6,16]{2,1,0} multiply(b, q)
)";

TEST(CheckOverwrite, ReductionOverRepetitionsKeepsTheOrder) {
  const std::string repeated = kRepeated;
  EXPECT_TRUE(Overwrites(repeated + "ROOT r = f32[16]{0} reduce(m, zero), dimensions={0,1}, "
                                    "to_apply=sum\n"));
  EXPECT_TRUE(Overwrites(repeated + "c = f32[12,16]{1,0} bitcast(m)\n"
                                    "s = f32[16]{0} reduce(c, zero), dimensions={0}, to_apply=sum\n"
                                    "ROOT r = f32[16]{0} divide(s, p)\n"));
  EXPECT_TRUE(Overwrites(repeated + "s = f32[6,16]{1,0} reduce(m, zero), dimensions={0}, "
                                    "to_apply=sum\n"
                                    "ROOT r = f32[16]{0} reduce(s, zero), dimensions={0}, "
                                    "to_apply=sum\n"));
  EXPECT_TRUE(
      Overwrites("b = f32[16,12]{1,0} broadcast(p), dimensions={0}\n"
                 "ROOT r = f32[16]{0} reduce(b, zero), dimensions={1}, to_apply=sum\n"));
}

TEST(CheckOverwrite, OtherReductionsReadOtherElements) {
  const std::string repeated = kRepeated;
  // Sums over elements of the operand.
  EXPECT_FALSE(
      Overwrites("b = f32[16,16]{1,0} broadcast(p), dimensions={1}\n"
                 "ROOT r = f32[16]{0} reduce(b, zero), dimensions={1}, to_apply=sum\n"));
  EXPECT_FALSE(
      Overwrites("b = f32[16,16]{0,1} broadcast(p), dimensions={1}\n"
                 "ROOT r = f32[16]{0} reduce(b, zero), dimensions={0}, to_apply=sum\n"));
  EXPECT_FALSE(Overwrites(repeated + "c = f32[8,24]{1,0} bitcast(m)\n"
                                     "d = f32[24]{0} reduce(c, zero), dimensions={0}, "
                                     "to_apply=sum\n"
                                     "ROOT r = f32[16]{0} slice(d), slice={[0:16]}\n"));
  // Element i of one operand meets all elements of the repeated one.
  EXPECT_FALSE(
      Overwrites("b = f32[16,16]{1,0} broadcast(p), dimensions={1}\n"
                 "c = f32[16,16]{1,0} broadcast(p), dimensions={0}\n"
                 "m = f32[16,16]{1,0} multiply(b, c)\n"
                 "ROOT r = f32[16]{0} reduce(m, zero), dimensions={0}, to_apply=sum\n"));
}

TEST(CheckOverwrite, RepetitionsThatAreWrittenAreInAnotherOrder) {
  EXPECT_FALSE(Overwrites(std::string(kRepeated) +
                              "s = f32[16]{0} reduce(m, zero), dimensions={0,1}, to_apply=sum\n"
                              "ROOT t = (f32[16]{0}, f32[2,6,16]{2,1,0}) tuple(s, m)\n",
                          "(f32[16], f32[2,6,16])"));
}

TEST(CheckOverwrite, OnlyLoopsOfGpusComputeAnElementWithoutOthers) {
  const std::string body = std::string(kRepeated) +
                           "ROOT r = f32[16]{0} reduce(m, zero), dimensions={0,1}, to_apply=sum\n";
  EXPECT_FALSE(Overwrites(body, "f32[16]", "kInput"));
  EXPECT_FALSE(Overwrites(body, "f32[16]", "kLoop", CheckRules::kCpu));
}

}  // namespace
}  // namespace halo::check
