// Tests mixed precision in ops that only move elements.
#include <gtest/gtest.h>

#include "halo/passes/host/host_passes.h"
#include "halo/passes/test/helpers.h"

namespace halo {
namespace {

TEST(MatchTypes, WhatIsMovedIsConvertedFirst) {
  Module module = ReadModule(R"(HloModule mixed

ENTRY main {
  a = bf16[4]{0} parameter(0)
  u = f32[2]{0} parameter(1)
  i = s32[] parameter(2)
  low = f32[] constant(-inf)
  p = bf16[6]{0} pad(a, low), padding=1_1
  d = bf16[6]{0} dynamic-update-slice(p, u, i)
  ROOT r = f32[6]{0} convert(d)
}
)");
  PassLog log;
  EXPECT_TRUE(MatchTypes(module, log));
  EXPECT_EQ(Problems(module), "");
  for (const char* name : {"p", "d"}) {
    const InstId second = module.operands_of(module.inst(Named(module, name)))[1];
    EXPECT_EQ(module.inst(second).opcode, Opcode::kConvert);
    EXPECT_EQ(module.shapes.type(module.inst(second).shape), ElementType::kBF16);
  }
  EXPECT_FALSE(MatchTypes(module, log));
}

TEST(MatchTypes, WhatReadsOneOperandToo) {
  Module module = ReadModule(R"(HloModule mixed

ENTRY main {
  a = f64[4,2]{1,0} parameter(0)
  i = s32[] parameter(1)
  b = f32[2,4]{1,0} transpose(a), dimensions={1,0}
  c = bf16[1,4]{1,0} slice(b), slice={[1:2],[0:4]}
  d = f32[4]{0} reshape(c)
  e = f64[1]{0} dynamic-slice(d, i), dynamic_slice_sizes={1}
  ROOT r = f32[1,3]{1,0} broadcast(e), dimensions={0}
}
)");
  PassLog log;
  EXPECT_TRUE(MatchTypes(module, log));
  EXPECT_EQ(Problems(module), "");
  for (const char* name : {"b", "c", "d", "e", "r"}) {
    const Inst& inst = module.inst(Named(module, name));
    const Inst& operand = module.inst(module.operands_of(inst)[0]);
    EXPECT_EQ(operand.opcode, Opcode::kConvert) << name;
    EXPECT_EQ(module.shapes.type(operand.shape), module.shapes.type(inst.shape)) << name;
  }
}

}  // namespace
}  // namespace halo
