// Names as JAX and PyTorch write them, and what a person would call the part of the program.
#include "halo/memory/explain/origins.h"

#include <gtest/gtest.h>

#include "halo/memory/explain/value_shape.h"

namespace halo {
namespace {

TEST(Origins, ScopesWithoutWrappers) {
  EXPECT_EQ(ScopeOf("jit(train_step)/jit(main)/transpose(jvp(Transformer))/decoder/layers_12/mul"),
            "Transformer/decoder/layers_*");
  EXPECT_EQ(ScopeOf("jit(f)/jvp(Model)/while/body/checkpoint/rematted_computation/mlp/wi_0/dot"),
            "Model/mlp/wi_*");
  EXPECT_EQ(ScopeOf("jit(f)/vmap(layers.func)/add"), "layers.func");
  EXPECT_EQ(ScopeOf("state.params['layers_7']['kernel']"), "state.params['layers_*']['kernel']");
  EXPECT_EQ(ScopeOf("jit(f)/jvp()/dot_general"), "dot_general");
  EXPECT_EQ(ScopeOf(""), "");
}

TEST(Origins, InnermostScopes) {
  EXPECT_EQ(InnermostScope("jit(f)/transpose(jvp(Model))/layers_3/wi/EBC,EMH -> EBCH/dot"), "wi");
  EXPECT_EQ(InnermostScope("jit(f)/jvp()/dot_general"), "dot_general");
  EXPECT_EQ(InnermostScope("aten__mm"), "aten__mm");
  EXPECT_EQ(InnermostScope("state.params['w']"), "");
  EXPECT_EQ(PhaseOf("jit(f)/transpose(jvp(M))/mul"), "backward");
  EXPECT_EQ(PhaseOf("jit(f)/jvp(M)/mul"), "forward");
  EXPECT_EQ(PhaseOf("jit(f)/mul"), "");
}

TEST(Origins, Passes) {
  EXPECT_TRUE(IsBackward("jit(f)/transpose(jvp(M))/mul"));
  EXPECT_FALSE(IsBackward("jit(f)/jvp(M)/transpose"));
  EXPECT_TRUE(IsForward("jit(f)/jvp(M)/mul"));
  EXPECT_FALSE(IsForward("jit(f)/transpose(jvp(M))/mul"));
}

TEST(Origins, Sources) {
  Origin origin;
  origin.file = "/a/b/layers/moe.py";
  origin.line = 12;
  EXPECT_EQ(SourceText(origin), "layers/moe.py:12");
  origin.file = "moe.py";
  EXPECT_EQ(SourceText(origin), "moe.py:12");
  EXPECT_EQ(SourceText(Origin()), "");
}

TEST(Origins, FromQuotedLines) {
  Assignment assignment;
  AssignedValue value;
  value.instruction = assignment.Text("fusion.1");
  value.from_instruction = assignment.Text(
      "%fusion.1 = (f32[4]{0}, s32[]) fusion(%a), kind=kLoop, metadata={op_name=\"jit(f)/x/add\" "
      "source_file=\"m.py\" source_line=7}");
  assignment.values.push_back(value);
  const BoundAssignment bound(assignment, nullptr);
  const Origin origin = Origins(bound).Of(ValueId(0U));
  EXPECT_EQ(origin.op_name, "jit(f)/x/add");
  EXPECT_EQ(origin.opcode, "fusion");
  EXPECT_EQ(SourceText(origin), "m.py:7");
  EXPECT_EQ(Origins(bound).At(0).op_name, "");
}

TEST(Origins, LogicalBytes) {
  EXPECT_EQ(ShapeFromPrinted("f32[8,1]{1,0:T(8,128)}").logical_bytes, 32);
  EXPECT_EQ(ShapeFromPrinted("bf16[]").logical_bytes, 2);
  EXPECT_EQ(ShapeFromPrinted("s4[3]{0}").logical_bytes, 2);
  EXPECT_EQ(ShapeFromPrinted("f32[<=8]{0}").logical_bytes, 32);
  EXPECT_EQ(ShapeFromPrinted("(f32[4]{0})").logical_bytes, 0);
  EXPECT_EQ(ShapeFromPrinted("f32[9999999999,9999999999]").logical_bytes, 0);
  EXPECT_EQ(ShapeFromPrinted("nonsense").logical_bytes, 0);
}

}  // namespace
}  // namespace halo
