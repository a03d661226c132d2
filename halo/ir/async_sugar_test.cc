// slice-start(...) becomes an async-start that calls a computation holding the slice.
#include "halo/ir/async_sugar.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

// One computation: p, start = slice-start(p), done = slice-done(start).
class AsyncSugar : public testing::Test {
 protected:
  void SetUp() override {
    const int64_t wide = 8, narrow = 2;
    wide_ = module_.shapes.Array(ElementType::kF32, {&wide, 1});
    narrow_ = module_.shapes.Array(ElementType::kF32, {&narrow, 1});
    const ShapeId inputs = module_.shapes.Tuple({&wide_, 1});
    const ShapeId parts[] = {inputs, narrow_, module_.shapes.Array(ElementType::kU32, {})};
    Computation comp;
    comp.name = module_.Str("main");
    comp.is_entry = comp.defined = true;
    comp.count = 3;
    comp.root = InstId(2u);
    module_.comps.push_back(comp);
    module_.order.emplace_back(0u);
    module_.entry = CompId(0u);
    Add("async_param", Opcode::kParameter, wide_, {});
    Add("start", Opcode::kAsyncStart, module_.shapes.Tuple(parts), {InstId(0u)});
    Add("done", Opcode::kAsyncDone, narrow_, {InstId(1u)});
    const int64_t slice[] = {0, 2, 0};
    const Attr attrs[] = {module_.MakeText(AttrKey::k_async_execution_thread, "side"),
                          module_.MakeInts(AttrKey::k_slice, slice),
                          module_.MakeText(AttrKey::k_sharding, "{replicated}"),
                          module_.MakeText(AttrKey::k_backend_config, "{}", AttrForm::kBare)};
    module_.insts[1].attrs = module_.Attrs(attrs);
    for (const size_t i : {1u, 2u}) {
      module_.insts[i].flags = kInstSugar;
      module_.insts[i].wrapped = Opcode::kSlice;
    }
  }

  void Add(std::string_view name, Opcode opcode, ShapeId shape,
           const std::vector<InstId>& operands) {
    Inst inst;
    inst.name = module_.Str(name);
    inst.opcode = opcode;
    inst.shape = shape;
    inst.attrs = AttrListId(0u);
    inst.parent = CompId(0u);
    inst.operands_begin = static_cast<uint32_t>(module_.operands.size());
    inst.operand_count = static_cast<uint32_t>(operands.size());
    for (const InstId operand : operands) module_.operands.push_back(operand);
    module_.insts.push_back(inst);
  }

  Module module_;
  ShapeId wide_, narrow_;
};

TEST_F(AsyncSugar, MakesTheWrappedComputation) {
  ASSERT_TRUE(HasAsyncSugar(module_));
  ExpandAsyncSugar(module_);
  EXPECT_FALSE(HasAsyncSugar(module_));
  ASSERT_EQ(module_.comps.size(), 2u);
  EXPECT_EQ(module_.order, (std::vector{CompId(1u), CompId(0u)}));
  const Computation& wrapped = module_.comp(CompId(1u));
  EXPECT_EQ(module_.text(wrapped.name), "async_wrapped");
  EXPECT_EQ(module_.text(wrapped.execution_thread), "side");
  ASSERT_EQ(wrapped.count, 2u);
  const Inst& parameter = module_.insts[wrapped.first];
  EXPECT_EQ(parameter.opcode, Opcode::kParameter);
  EXPECT_EQ(parameter.shape, wide_);
  EXPECT_EQ(module_.name_of(parameter), "async_param.1");  // the plain name is taken
  const Inst& root = module_.inst(wrapped.root);
  EXPECT_EQ(root.opcode, Opcode::kSlice);
  EXPECT_EQ(root.shape, narrow_);
  EXPECT_EQ(module_.operands_of(root)[0], InstId(wrapped.first));
}

TEST_F(AsyncSugar, SharesOutTheAttributes) {
  ExpandAsyncSugar(module_);
  const Inst& start = module_.insts[1];
  const Inst& root = module_.inst(module_.comps[1].root);
  EXPECT_EQ(start.opcode, Opcode::kAsyncStart);
  EXPECT_EQ(start.flags, 0);
  const Attr* calls = module_.Find(start, AttrKey::k_calls);
  ASSERT_NE(calls, nullptr);
  EXPECT_EQ(module_.list(calls->value)[0], 1);
  EXPECT_EQ(module_.Find(start, AttrKey::k_slice), nullptr);
  EXPECT_NE(module_.Find(root, AttrKey::k_slice), nullptr);
  EXPECT_NE(module_.Find(start, AttrKey::k_sharding), nullptr);
  EXPECT_EQ(module_.Find(root, AttrKey::k_sharding), nullptr);
  EXPECT_EQ(module_.TextOr(start.attrs, AttrKey::k_backend_config), "{}");
  EXPECT_EQ(module_.TextOr(root.attrs, AttrKey::k_backend_config), "{}");
  EXPECT_EQ(module_.insts[2].opcode, Opcode::kAsyncDone);
  EXPECT_EQ(module_.Find(module_.insts[2], AttrKey::k_calls), nullptr);
}

TEST_F(AsyncSugar, MayLeaveNamesPlain) {
  ExpandAsyncSugar(module_, SugarNames::kPlain);
  EXPECT_EQ(module_.name_of(module_.insts[module_.comps[1].first]), "async_param");
}

TEST_F(AsyncSugar, LeavesOthersAlone) {
  module_.insts[1].flags = module_.insts[2].flags = 0;
  ExpandAsyncSugar(module_);
  EXPECT_EQ(module_.comps.size(), 1u);
  EXPECT_EQ(module_.insts.size(), 3u);
}

}  // namespace
}  // namespace halo
