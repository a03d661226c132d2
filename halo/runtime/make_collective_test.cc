// Checks which collective each textual form becomes.
#include "halo/runtime/make_collective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/eval/context/eval_diagnostics.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

using testing::ElementsAre;
using testing::Pair;

InstId Find(const Module& module, std::string_view name) {
  for (size_t i = 0; i < module.insts.size(); ++i) {
    if (module.name_of(module.inst(InstId(i))) == name) return InstId(i);
  }
  return {};
}

struct Made {
  Module module;
  EvalOptions options;
  MadeCollective made;
};

// Makes the collective of the instruction named c.
void Make(const std::string& text, Made* out) {
  TextReadResult read = ReadHloText(text);
  ASSERT_TRUE(read.diagnostics.ok()) << read.diagnostics.all()[0].message;
  out->module = std::move(read.module);
  const InstId id = Find(out->module, "c");
  ASSERT_TRUE(id.valid());
  ASSERT_TRUE(IsCollectiveStart(out->module, id));
  Result<MadeCollective> made = MakeCollective(out->module, id, out->options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  out->made = std::move(*made);
}

constexpr const char* kAdd = R"(
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
)";

TEST(MakeCollective, GathersAlongAPhysicalDimension) {
  Made out;
  Make(R"(HloModule m, num_partitions=4
ENTRY e { p = f32[6,5]{0,1} parameter(0)
  c = (f32[6,5]{0,1}, f32[6,20]{0,1}) all-gather-start(p), channel_id=3, replica_groups=[1,4]<=[4], dimensions={1}, use_global_device_ids=true
  ROOT d = f32[6,20]{0,1} all-gather-done(c) })",
       &out);
  EXPECT_EQ(out.made.op.kind, CollectiveKind::kAllGather);
  EXPECT_EQ(out.made.op.channel, 3);
  EXPECT_THAT(out.made.op.groups, ElementsAre(ElementsAre(0, 1, 2, 3)));
  EXPECT_EQ(out.made.op.operands[0], (CollectiveArray{ElementType::kF32, 1, 5, 6}));
  EXPECT_EQ(out.made.op.results[0], (CollectiveArray{ElementType::kF32, 1, 20, 6}));
  EXPECT_THAT(out.made.operand_leaves, ElementsAre(0));
  EXPECT_THAT(out.made.result_leaves, ElementsAre(1));
  EXPECT_THAT(out.made.forwarded, ElementsAre(Pair(0, 0)));
  EXPECT_TRUE(HasCollectiveDone(out.module, Find(out.module, "c")));
}

TEST(MakeCollective, LooksIntoAnAsyncWrapper) {
  Made out;
  Make(std::string("HloModule m, replica_count=2\n") + kAdd + R"(
wrapped { x = f32[8] parameter(0)
  ROOT s = f32[4] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add }
ENTRY e { p = f32[8] parameter(0)
  c = ((f32[8]), f32[4], u32[]) async-start(p), calls=wrapped
  ROOT d = f32[4] async-done(c), calls=wrapped })",
       &out);
  EXPECT_EQ(out.made.op.kind, CollectiveKind::kReduceScatter);
  EXPECT_EQ(out.made.op.name, "c");
  EXPECT_EQ(out.made.op.reduce, ReduceKind::kSum);
  EXPECT_THAT(out.made.result_leaves, ElementsAre(1));
}

TEST(MakeCollective, LeavesOddFormsToTheDefinition) {
  Made out;
  Make(R"(HloModule m, replica_count=2
ENTRY e { p = f32[3,5]{1,0} parameter(0)
  ROOT c = f32[6,5]{0,1} all-gather(p), replica_groups={{0,1}}, dimensions={0} })",
       &out);
  EXPECT_EQ(out.made.op.kind, CollectiveKind::kDefinition);
  EXPECT_TRUE(out.made.op.define);
}

TEST(MakeCollective, TransfersAlongTheirPairsInEveryReplica) {
  Made out;
  Make(R"(HloModule m, replica_count=2, num_partitions=2
ENTRY e { p = f32[4] parameter(0)
  t = token[] after-all()
  c = (f32[4], u32[], token[]) send(p, t), channel_id=5, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1}}"}
  ROOT d = token[] send-done(c), channel_id=5 })",
       &out);
  EXPECT_EQ(out.made.op.kind, CollectiveKind::kSend);
  EXPECT_THAT(out.made.op.pairs, ElementsAre(Pair(0, 1), Pair(2, 3)));
  EXPECT_THAT(out.made.forwarded, ElementsAre(Pair(0, 0)));
  EXPECT_TRUE(out.made.op.results.empty());
}

TEST(MakeCollective, RefusesATransferWithoutTargets) {
  TextReadResult read = ReadHloText(R"(HloModule m, num_partitions=2
ENTRY e { p = f32[4] parameter(0)
  t = token[] after-all()
  c = (f32[4], u32[], token[]) send(p, t), channel_id=5
  ROOT d = token[] send-done(c), channel_id=5 })");
  const EvalOptions options;
  const Result<MadeCollective> made = MakeCollective(read.module, Find(read.module, "c"), options);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, diag::kUnsupportedTransfer);
}

}  // namespace
}  // namespace halo
