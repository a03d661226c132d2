// Tests editing: order, dead code, names, control flow and placement.
#include "halo/passes/rewrite/rewriter.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/passes/test/helpers.h"

namespace halo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSum = R"(HloModule m

dead {
  p = f32[] parameter(0)
  ROOT n = f32[] negate(p)
}

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[4] parameter(0)
  zero = f32[] constant(0)
  unused = f32[4] exponential(x)
  y = f32[4] negate(x), metadata={op_name="neg"}
  ROOT r = f32[] reduce(y, zero), dimensions={0}, to_apply=add
}
)";

TEST(Rewriter, NewInstructionIsBeforeItsUserAndDeadCodeGoes) {
  ModuleEditor edit(ReadModule(kSum));
  const InstId y = Named(edit.module(), "y");
  const InstId x = Named(edit.module(), "x");
  const CompId entry = edit.module().entry;
  const InstId twice = edit.Add(entry, Opcode::kNegate, edit.inst(x).shape, {x}, {}, y);
  edit.Replace(y, twice);
  const Module module = edit.Finish();
  EXPECT_EQ(Problems(module), "");
  const std::string text = BodyText(module);
  EXPECT_THAT(text, HasSubstr("y = f32[4] negate(x), metadata={op_name=\"neg\"}\n"
                              "  ROOT r = f32[] reduce(y, zero)"));
  EXPECT_THAT(text, Not(HasSubstr("unused")));
  EXPECT_THAT(text, Not(HasSubstr("dead")));
}

TEST(Rewriter, ElementsThatTheTextOnlyImpliedGetNames) {
  ModuleEditor edit(ReadModule(R"(HloModule m

ENTRY main {
  t = (f32[4], f32[4]) parameter(0)
  n = f32[4] negate(t#0)
  ROOT r = f32[4] add(n, t#1)
}
)"));
  edit.SetName(Named(edit.module(), "n"), "get-tuple-element");
  const Module module = edit.Finish();
  std::vector<std::string> names;
  for (const Inst& inst : module.insts) names.emplace_back(module.name_of(inst));
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("t", "r", "get-tuple-element",
                                                     "get-tuple-element.1", "get-tuple-element.2"));
}

TEST(Rewriter, NamesOfCopiesAreNew) {
  ModuleEditor edit(ReadModule(kSum));
  const InstId y = Named(edit.module(), "y");
  const InstId r = Named(edit.module(), "r");
  const CompId entry = edit.module().entry;
  const InstId again = edit.Clone(y, entry, std::vector<InstId>{y});
  edit.SetOperand(r, 0, again);
  const std::string text = BodyText(edit.Finish());
  EXPECT_THAT(text, HasSubstr("y.1 = f32[4] negate(y)"));
}

TEST(Rewriter, NewComputationsAreAboveTheirCallers) {
  ModuleEditor edit(ReadModule(kSum));
  const InstId y = Named(edit.module(), "y");
  const CompId entry = edit.module().entry;
  const CompId comp = edit.AddComputation("called");
  const ShapeId shape = edit.inst(y).shape;
  const InstId p = edit.AddParameter(comp, 0, shape, "p");
  edit.SetRoot(comp, edit.Add(comp, Opcode::kTanh, shape, {p}));
  const Attr attr{AttrKey::k_to_apply, AttrForm::kPlain, 0, comp.value};
  edit.Replace(y, edit.Add(entry, Opcode::kCall, shape, {edit.operand(y, 0)}, {&attr, 1}, y));
  const Module module = edit.Finish();
  EXPECT_EQ(Problems(module), "");
  EXPECT_THAT(BodyText(module), HasSubstr("called {\n  p = f32[4] parameter(0)\n"));
}

TEST(Rewriter, PlacedBeforeAnAnchor) {
  ModuleEditor edit(ReadModule(R"(HloModule m, is_scheduled=true
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  b = f32[4] exponential(a)
  ROOT c = f32[4] add(b, x)
})"));
  const InstId x = Named(edit.module(), "x");
  const InstId c = Named(edit.module(), "c");
  const InstId copy = edit.Add(edit.module().entry, Opcode::kCopy, edit.inst(x).shape, {x});
  edit.SetOperand(c, 1, copy);
  edit.PlaceBefore(copy, Named(edit.module(), "a"));
  EXPECT_THAT(BodyText(edit.Finish()),
              HasSubstr("  copy = f32[4] copy(x)\n  a = f32[4] negate(x)\n"));
}

}  // namespace
}  // namespace halo
