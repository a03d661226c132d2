// Tests rules that no text can break, because the reader rejects such a module first: builds the
// modules by hand.
#include "halo/semantics/verify/verify.h"

#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/semantics/facts/conv_labels.h"
#include "halo/semantics/rules/window_bounds.h"

namespace halo {
namespace {

class Builder {
 public:
  CompId Begin(std::string_view name, bool entry = true) {
    Computation comp;
    comp.name = module.Str(name);
    comp.first = static_cast<uint32_t>(module.insts.size());
    comp.is_entry = entry;
    comp.defined = true;
    module.comps.push_back(comp);
    const CompId id(module.comps.size() - 1);
    module.order.push_back(id);
    if (entry) module.entry = id;
    return id;
  }

  InstId Add(Opcode opcode, ShapeId shape, std::initializer_list<InstId> operands = {},
             std::initializer_list<Attr> attrs = {}, uint32_t extra = 0) {
    Inst inst;
    inst.name = module.AddName("i" + std::to_string(module.insts.size()));
    inst.shape = shape;
    inst.opcode = opcode;
    inst.operands_begin = static_cast<uint32_t>(module.operands.size());
    inst.operand_count = static_cast<uint32_t>(operands.size());
    for (const InstId operand : operands) module.operands.push_back(operand);
    inst.attrs = module.Attrs(std::vector<Attr>(attrs));
    inst.extra = extra;
    inst.parent = CompId(module.comps.size() - 1);
    module.insts.push_back(inst);
    const InstId id(module.insts.size() - 1);
    ++module.comps.back().count;
    module.comps.back().root = id;
    return id;
  }

  ShapeId Floats(std::initializer_list<int64_t> dims) {
    return module.shapes.Array(ElementType::kF32, std::vector<int64_t>(dims));
  }

  Module module;
};

// Returns the labels of all findings, in order, separated by spaces.
std::string Labels(const Module& module) {
  const RuleFindings findings = Verify(module);
  std::string labels;
  for (const RuleFinding& each : findings.all()) {
    if (!labels.empty()) labels += ' ';
    labels += TextOf(each.rule);
  }
  return labels;
}

TEST(VerifyTest, EmptyModuleHasNoFindings) { EXPECT_EQ(Labels(Module()), ""); }

TEST(VerifyTest, ElementsOfWhatIsNoTuple) {
  Builder b;
  b.Begin("e");
  const InstId p = b.Add(Opcode::kParameter, b.Floats({4}));
  b.Add(Opcode::kGetTupleElement, b.Floats({4}), {p}, {b.module.MakeInt(AttrKey::k_index, 0)});
  EXPECT_EQ(Labels(b.module), "tuple-operand");
}

TEST(VerifyTest, ElementsBeyondATuple) {
  Builder b;
  b.Begin("e");
  const ShapeId f = b.Floats({4});
  const ShapeId tuple = b.module.shapes.Tuple(std::vector<ShapeId>{f});
  const InstId p = b.Add(Opcode::kParameter, tuple);
  b.Add(Opcode::kGetTupleElement, f, {p}, {b.module.MakeInt(AttrKey::k_index, 1)});
  EXPECT_EQ(Labels(b.module), "tuple-index");
}

TEST(VerifyTest, ConstantWithoutAValue) {
  Builder b;
  b.Begin("e");
  b.Add(Opcode::kConstant, b.Floats({}));
  EXPECT_EQ(Labels(b.module), "constant-value");
}

TEST(VerifyTest, FixedOperandCounts) {
  Builder b;
  b.Begin("e");
  const InstId p = b.Add(Opcode::kParameter, b.Floats({4}));
  b.Add(Opcode::kAdd, b.Floats({4}), {p});
  EXPECT_EQ(Labels(b.module), "operand-count");
}

TEST(VerifyTest, ParametersNumberedFromZero) {
  Builder b;
  b.Begin("e");
  b.Add(Opcode::kParameter, b.Floats({4}), {}, {}, 1);
  b.Add(Opcode::kConstant, b.Floats({}), {}, {}, b.module.literals.AddElided(b.Floats({})).value);
  EXPECT_EQ(Labels(b.module), "parameter-numbers");
}

TEST(VerifyTest, OperandsOfOtherComputations) {
  Builder b;
  b.Begin("f", false);
  const InstId p = b.Add(Opcode::kParameter, b.Floats({4}));
  b.Begin("e");
  b.Add(Opcode::kNegate, b.Floats({4}), {p});
  EXPECT_EQ(Labels(b.module), "operand-elsewhere");
}

TEST(VerifyTest, CyclesAreFoundOnce) {
  Builder b;
  b.Begin("e");
  b.Add(Opcode::kNegate, b.Floats({4}), {InstId(1u)});
  b.Add(Opcode::kNegate, b.Floats({4}), {InstId(0u)});
  const std::string labels = Labels(b.module);
  EXPECT_NE(labels.find("instruction-cycle"), std::string::npos) << labels;
}

TEST(VerifyTest, ScheduledBeforeItsOperand) {
  Builder b;
  b.Begin("e");
  b.Add(Opcode::kNegate, b.Floats({4}), {InstId(1u)});
  b.Add(Opcode::kParameter, b.Floats({4}));
  b.module.attrs =
      b.module.Attrs(std::vector<Attr>{Attr{AttrKey::k_is_scheduled, AttrForm::kPlain, 0, 1}});
  const std::string labels = Labels(b.module);
  EXPECT_NE(labels.find("schedule-order"), std::string::npos) << labels;
}

TEST(VerifyTest, ComputationsThatCallThemselves) {
  Builder b;
  const CompId self = b.Begin("e");
  const InstId p = b.Add(Opcode::kParameter, b.Floats({4}));
  b.Add(Opcode::kCall, b.Floats({4}), {p},
        {Attr{AttrKey::k_to_apply, AttrForm::kPlain, 0, self.value}});
  const std::string labels = Labels(b.module);
  EXPECT_NE(labels.find("recursion"), std::string::npos) << labels;
}

TEST(VerifyTest, FusionsOfSeveralComputationsOrOfTheEntry) {
  Builder b;
  const CompId self = b.Begin("e");
  const InstId p = b.Add(Opcode::kParameter, b.Floats({4}));
  const int64_t calls[] = {self.value, self.value};
  b.Add(Opcode::kFusion, b.Floats({4}), {p},
        {b.module.MakeInts(AttrKey::k_calls, calls), b.module.MakeText(AttrKey::k_kind, "kLoop")});
  const std::string labels = Labels(b.module);
  EXPECT_NE(labels.find("fusion-calls"), std::string::npos) << labels;
  EXPECT_NE(labels.find("entry-fused"), std::string::npos) << labels;
}

TEST(VerifyTest, CallsThatShareBuffers) {
  Builder b;
  const CompId f = b.Begin("f", false);
  b.Add(Opcode::kParameter, b.Floats({4}));
  b.Begin("e");
  const InstId p = b.Add(Opcode::kParameter, b.Floats({4}));
  const int64_t alias[] = {0, 0, 0, 0};
  b.Add(Opcode::kCall, b.Floats({4}), {p},
        {Attr{AttrKey::k_to_apply, AttrForm::kPlain, 0, f.value},
         b.module.MakeInts(AttrKey::k_output_to_operand_aliasing, alias)});
  const std::string labels = Labels(b.module);
  EXPECT_NE(labels.find("call-aliasing"), std::string::npos) << labels;
}

TEST(VerifyTest, LayoutsThatListADimensionTwice) {
  Builder b;
  b.Begin("e");
  Layout layout;
  layout.minor_to_major = {0, 0};
  const LayoutId id = b.module.shapes.InternLayout(layout);
  b.Add(Opcode::kParameter, b.module.shapes.WithLayout(b.Floats({2, 2}), id));
  EXPECT_EQ(Labels(b.module), "layout-order");
}

TEST(VerifyTest, LabelsThatNameADimensionTwice) {
  Builder b;
  b.Begin("e");
  const InstId x = b.Add(Opcode::kParameter, b.Floats({2, 2}));
  const InstId k = b.Add(Opcode::kParameter, b.Floats({2, 2}), {}, {}, 1);
  b.Add(Opcode::kConvolution, b.Floats({2, 2}), {x, k},
        {b.module.MakeText(AttrKey::k_dim_labels, "bb_io->bf")});
  EXPECT_EQ(Labels(b.module), "convolution-labels");
}

TEST(VerifyTest, FindingsAreCappedAndCounted) {
  Builder b;
  b.Begin("e");
  const InstId p = b.Add(Opcode::kParameter, b.Floats({4}));
  for (int i = 0; i < 50; ++i) b.Add(Opcode::kNegate, b.Floats({5}), {p});
  const RuleFindings findings = Verify(b.module, {.warnings = true, .max_findings = 10});
  EXPECT_EQ(findings.errors(), 50u);
  EXPECT_EQ(findings.all().size(), 10u);
}

TEST(RuleTest, TextsNameRules) {
  for (size_t i = 0; i < RuleCount(); ++i) {
    const auto rule = static_cast<Rule>(i);
    EXPECT_EQ(RuleFromText(TextOf(rule)), rule);
    EXPECT_FALSE(InfoOf(rule).help.empty()) << TextOf(rule);
  }
  EXPECT_EQ(RuleFromText("no-such-rule"), std::nullopt);
}

TEST(ConvLabelsTest, EverySideLabelsTheSameDimensions) {
  const auto labels = ParseConvLabels("b01f_01io->b01f");
  ASSERT_TRUE(labels);
  EXPECT_EQ(labels->input.batch, 0u);
  EXPECT_EQ(labels->input.feature, 3u);
  EXPECT_EQ(labels->kernel.batch, 2u);    // input features
  EXPECT_EQ(labels->kernel.feature, 3u);  // output features
  EXPECT_EQ(labels->output.spatial, (std::vector<size_t>{1, 2}));
  EXPECT_TRUE(ParseConvLabels("bf_io->bf"));
  for (const char* wrong :
       {"", "bf_io", "b0f_0io->bf", "b0f_io->b0f", "bf_io->bb", "b1f_1io->b1f"}) {
    EXPECT_FALSE(ParseConvLabels(wrong)) << wrong;
  }
}

TEST(WindowBoundsTest, PositionsFollowDilationPaddingAndStride) {
  EXPECT_EQ(WindowPositions(8, {.size = 3}), 6);
  EXPECT_EQ(WindowPositions(8, {.size = 3, .stride = 2, .pad_low = 1, .pad_high = 1}), 4);
  EXPECT_EQ(WindowPositions(8, {.size = 3, .rhs_dilate = 3}), 2);
  EXPECT_EQ(WindowPositions(4, {.size = 3, .lhs_dilate = 2}), 5);
  EXPECT_EQ(WindowPositions(2, {.size = 3}), 0);
  EXPECT_EQ(WindowPositions(0, {.size = 1}), 0);
  EXPECT_EQ(WindowPositions(INT64_MAX, {.size = 1, .lhs_dilate = 2}), std::nullopt);
}

}  // namespace
}  // namespace halo
