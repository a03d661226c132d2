// What a Module stores and how it is looked up: literals, attributes, windows, aliases.
#include "halo/ir/module.h"

#include <vector>

#include <gtest/gtest.h>

#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/attributes/window.h"

namespace halo {
namespace {

TEST(Module, IntegersOfAnySize) {
  Module module;
  for (const int64_t value : {int64_t{0}, int64_t{-1}, int64_t{1} << 31, INT64_MIN, INT64_MAX}) {
    const Attr attr = module.MakeInt(AttrKey::k_channel_id, value);
    EXPECT_EQ(module.IntValue(attr), value);
    const AttrListId list = module.Attrs({&attr, 1});
    EXPECT_EQ(module.IntOr(list, AttrKey::k_channel_id, 7), value);
    EXPECT_EQ(module.IntOr(list, AttrKey::k_index, 7), 7);
  }
}

TEST(Module, MissingAttributesHaveFallbacks) {
  const Module module;
  EXPECT_FALSE(module.is_scheduled());
  EXPECT_EQ(module.TextOr(module.attrs, AttrKey::k_sharding, "none"), "none");
  EXPECT_TRUE(module.IntsOf(module.attrs, AttrKey::k_dimensions).empty());
  EXPECT_EQ(module.Find(module.attrs, AttrKey::k_metadata), nullptr);
}

TEST(Module, SchedulingNameMayBeTheOwnName) {
  Module module;
  Inst inst;
  inst.name = module.Str("add.1");
  const Attr own{AttrKey::k_scheduling_name, AttrForm::kOwnName};
  const Attr metadata{AttrKey::k_metadata, AttrForm::kPlain, 0, module.Attrs({&own, 1}).value};
  inst.attrs = module.Attrs({&metadata, 1});
  EXPECT_EQ(module.MetadataText(inst, AttrKey::k_scheduling_name), "add.1");
  EXPECT_EQ(module.MetadataText(inst, AttrKey::k_op_name), "");
}

TEST(Module, CalledComputationsInOrder) {
  Module module;
  const std::vector<int64_t> branches = {4, 2};
  const Attr attrs[] = {{AttrKey::k_to_apply, AttrForm::kPlain, 0, 7},
                        module.MakeInts(AttrKey::k_branch_computations, branches)};
  Inst inst;
  inst.attrs = module.Attrs(attrs);
  std::vector<CompId> called;
  module.CalledBy(inst, called);
  EXPECT_EQ(called, (std::vector<CompId>{CompId(7u), CompId(4u), CompId(2u)}));
}

TEST(Literals, SmallOnesAreSharedLargeOnesKept) {
  ShapeTable shapes;
  LiteralTable literals;
  const ShapeId shape = shapes.Array(ElementType::kU8, std::vector<int64_t>{3});
  const std::vector<uint8_t> bits = {1, 2, 3};
  const LiteralId small = literals.Add(shape, bits);
  EXPECT_EQ(literals.Add(shape, bits), small);
  EXPECT_NE(literals.Add(shapes.Array(ElementType::kS8, std::vector<int64_t>{3}), bits), small);
  const std::vector<uint8_t> many(10000, 5);
  const LiteralId large = literals.Add(shape, many);
  const LiteralId elided = literals.AddElided(shape);
  literals.Shrink();
  EXPECT_TRUE(std::equal(bits.begin(), bits.end(), literals.bits(small).begin()));
  EXPECT_EQ(literals.bits(large).size(), many.size());
  EXPECT_TRUE(literals.is_elided(elided));
  EXPECT_FALSE(literals.is_elided(small));
  EXPECT_TRUE(literals.bits(elided).empty());
  EXPECT_EQ(literals.shape(elided), shape);
}

TEST(Windows, EncodeWhatWasWritten) {
  Window window;
  window.fields = kWindowSize | kWindowPad | kWindowRhsReversal;
  window.dims = {{.size = 3, .pad_low = 1, .pad_high = -2}, {.size = 5, .reversal = true}};
  const Window back = DecodeWindow(EncodeWindow(window));
  EXPECT_EQ(back.fields, window.fields);
  ASSERT_EQ(back.dims.size(), 2u);
  EXPECT_EQ(back.dims[0].pad_high, -2);
  EXPECT_EQ(back.dims[1].size, 5);
  EXPECT_TRUE(back.dims[1].reversal);
  EXPECT_EQ(back.dims[1].stride, 1);
  EXPECT_EQ(NeededFields(back), kWindowSize | kWindowPad | kWindowRhsReversal);
}

TEST(Aliases, EncodeAndDecode) {
  const std::vector<AliasEntry> aliases = {{{0, 1}, 3, {}, AliasKind::kMust},
                                           {{}, 0, {2}, AliasKind::kUnspecified}};
  const std::vector<AliasEntry> back = DecodeAliases(EncodeAliases(aliases));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].output_index, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(back[0].number, 3);
  EXPECT_EQ(back[0].kind, AliasKind::kMust);
  EXPECT_EQ(back[1].input_index, (std::vector<int64_t>{2}));
  const std::vector<DonorEntry> donors = {{1, {0, 2}}, {4, {}}};
  const std::vector<DonorEntry> same = DecodeDonors(EncodeDonors(donors));
  ASSERT_EQ(same.size(), 2u);
  EXPECT_EQ(same[0].index, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(same[1].number, 4);
}

}  // namespace
}  // namespace halo
