// The table of op properties agrees with the op table, with itself, and with the semantics of HLO
// ops.
#include "halo/ir/op_properties.h"

#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

std::vector<Opcode> All() {
  std::vector<Opcode> all;
  for (size_t i = 0; i < OpcodeCount(); ++i) all.push_back(static_cast<Opcode>(i));
  return all;
}

TEST(OpProperties, CategoriesAgreeWithTraits) {
  for (const Opcode opcode : All()) {
    SCOPED_TRACE(TextOf(opcode));
    const OpProperties& row = PropertiesOf(opcode);
    // A copy has the element types and shapes of an elementwise op, and computes nothing.
    const bool computes = HasTrait(opcode, kElementwise) && row.flow != OpFlow::kCopy;
    EXPECT_EQ(row.category == OpCategory::kElementwise, computes);
    EXPECT_EQ(row.category == OpCategory::kCollective, HasTrait(opcode, kCollective));
    EXPECT_EQ(row.group != CollectiveFamily::kNone, HasTrait(opcode, kCollective));
    EXPECT_NE(row.category, OpCategory::kFusion);
    EXPECT_NE(row.category, OpCategory::kCustomCall);
  }
}

TEST(OpProperties, OnlyElementwiseOpsHaveRulesForElementTypes) {
  for (const Opcode opcode : All()) {
    SCOPED_TRACE(TextOf(opcode));
    if (HasTrait(opcode, kElementwise)) continue;
    const OpProperties& row = PropertiesOf(opcode);
    EXPECT_EQ(row.types, OperandTypes::kAny);
    EXPECT_EQ(row.result, ResultType::kFirstOperand);
    EXPECT_EQ(row.fold, FoldKind::kNone);
    EXPECT_FALSE(HasFlag(opcode, kExact));
  }
}

TEST(OpProperties, CollectivesAndTransfersHaveEffects) {
  for (const Opcode opcode : All()) {
    SCOPED_TRACE(TextOf(opcode));
    const OpProperties& row = PropertiesOf(opcode);
    const bool is_group = row.effect == OpEffect::kGroup ||
                          row.effect == OpEffect::kGroupWithChannel ||
                          row.effect == OpEffect::kGroupUnlessFused;
    EXPECT_EQ(is_group, HasTrait(opcode, kCollective));
    if (row.flow == OpFlow::kTransfer || row.flow == OpFlow::kSend ||
        row.flow == OpFlow::kRecvDone) {
      EXPECT_EQ(row.effect, OpEffect::kAlways);
    }
  }
  EXPECT_EQ(PropertiesOf(Opcode::kUnknown).effect, OpEffect::kUnknown);
}

// Ops that have or may have side effects must not be moved, repeated, folded or fused.
TEST(OpProperties, OpsWithEffectsStay) {
  std::vector<Opcode> all = All();
  all.push_back(Opcode::kUnknown);
  for (const Opcode opcode : all) {
    SCOPED_TRACE(TextOf(opcode));
    const OpProperties& row = PropertiesOf(opcode);
    if (row.effect == OpEffect::kNone && row.calls != OpCalls::kRuns) continue;
    EXPECT_FALSE(HasFlag(opcode, kMovable));
    EXPECT_FALSE(HasFlag(opcode, kRecomputable));
    EXPECT_FALSE(HasFlag(opcode, kFoldable));
    EXPECT_EQ(row.fusion, OpFusion::kNever);
  }
}

TEST(OpProperties, StartsAndDonesArePairs) {
  for (const Opcode opcode : All()) {
    SCOPED_TRACE(TextOf(opcode));
    const OpProperties& row = PropertiesOf(opcode);
    const bool is_chain = row.flow == OpFlow::kAsyncStart || row.flow == OpFlow::kAsyncUpdate ||
                          row.flow == OpFlow::kAsyncDone;
    const bool is_end = HasTrait(opcode, kAsyncStart) || HasTrait(opcode, kAsyncDone);
    EXPECT_EQ(row.partner != Opcode::kUnknown, is_end && !is_chain);
    EXPECT_EQ(row.sync != Opcode::kUnknown, HasTrait(opcode, kAsyncStart) && !is_chain);
    if (row.partner == Opcode::kUnknown) continue;
    EXPECT_EQ(PropertiesOf(row.partner).partner, opcode);
    EXPECT_EQ(PropertiesOf(row.partner).group, row.group);
    EXPECT_NE(HasTrait(opcode, kAsyncStart), HasTrait(row.partner, kAsyncStart));
  }
  EXPECT_EQ(SynchronousOf(Opcode::kAllReduceStart), Opcode::kAllReduce);
  EXPECT_EQ(SynchronousOf(Opcode::kAllToAll), Opcode::kAllToAll);
}

TEST(OpProperties, CallersTakeComputations) {
  for (const Opcode opcode : All()) {
    SCOPED_TRACE(TextOf(opcode));
    const bool takes = MayHave(opcode, AttrKey::k_to_apply) || MayHave(opcode, AttrKey::k_calls) ||
                       MayHave(opcode, AttrKey::k_body) || MayHave(opcode, AttrKey::k_select) ||
                       MayHave(opcode, AttrKey::k_branch_computations);
    EXPECT_EQ(PropertiesOf(opcode).calls != OpCalls::kNone, takes);
  }
}

}  // namespace
}  // namespace halo
