// Tests what instructions cost: flops, bytes of fusions, tiles, collectives, loops and branches.
#include "halo/cost/count/module_cost.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

class Counted {
 public:
  explicit Counted(const std::string& text, Backend backend = Backend::kGpu)
      : read_(ReadHloText(SourceBuffer::Copy("HloModule m, num_partitions=4\n" + text, "m"))),
        cost_(read_.module, backend) {
    EXPECT_TRUE(read_.diagnostics.ok());
    EXPECT_EQ(cost_.problem(), "");
  }

  const Cost& of(std::string_view name) {
    for (uint32_t i = 0; i < read_.module.insts.size(); ++i) {
      if (read_.module.name_of(read_.module.insts[i]) == name) return cost_.of(InstId(i));
    }
    ADD_FAILURE() << "no instruction " << name;
    return cost_.of(InstId(0u));
  }
  const Cost& total() { return cost_.total(read_.module.entry); }
  const Cost& once() { return cost_.once(read_.module.entry); }

 private:
  TextReadResult read_;
  ModuleCost cost_;
};

TEST(ModuleCost, Products) {
  Counted counted(R"(ENTRY e {
  a = bf16[2,8,16]{2,1,0} parameter(0)
  b = bf16[2,16,32]{2,1,0} parameter(1)
  d = f32[2,8,32]{2,1,0} dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  i = f32[1,4,4,1]{3,2,1,0} parameter(2)
  k = f32[3,3,1,1]{3,2,1,0} parameter(3)
  ROOT c = f32[1,4,4,1]{3,2,1,0} convolution(i, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
})");
  EXPECT_EQ(counted.of("d").work.product_flops, 2 * 2 * 8 * 32 * 16);
  EXPECT_EQ(counted.of("d").work.product_type, ElementType::kBF16);
  EXPECT_EQ(counted.of("d").traffic.read, 2 * (2 * 8 * 16 + 2 * 16 * 32));
  // Padding is not multiplied: 10 of 12 positions in each dimension.
  EXPECT_EQ(counted.of("c").work.product_flops, 2 * 10 * 10);
}

TEST(ModuleCost, FusionsReadWhatTheyNeedOnce) {
  Counted counted(R"(f {
  p = f32[100]{0} parameter(0)
  q = f32[10]{0} parameter(1)
  s = f32[10]{0} slice(p), slice={[0:10]}
  m = f32[10]{0} multiply(q, q)
  ROOT r = f32[10]{0} add(s, m)
}
u {
  w = f32[100]{0} parameter(0)
  x = f32[10]{0} parameter(1)
  at = s32[] parameter(2)
  n = f32[10]{0} negate(x)
  ROOT d = f32[100]{0} dynamic-update-slice(w, n, at)
}
ENTRY e {
  a = f32[100]{0} parameter(0)
  b = f32[10]{0} parameter(1)
  c = s32[] parameter(2)
  same = f32[100]{0} add(a, a)
  sliced = f32[10]{0} fusion(a, b), kind=kLoop, calls=f
  ROOT updated = f32[100]{0} fusion(same, b, c), kind=kLoop, calls=u
})");
  EXPECT_EQ(counted.of("same").traffic.read, 400);
  EXPECT_EQ(counted.of("sliced").traffic.read, 80);
  EXPECT_EQ(counted.of("sliced").traffic.written, 40);
  EXPECT_EQ(counted.of("sliced").work.flops, 20);
  EXPECT_EQ(counted.of("updated").traffic.read, 44);
  EXPECT_EQ(counted.of("updated").traffic.written, 40);
}

TEST(ModuleCost, TilesMoveAsAWhole) {
  Counted counted(R"(ENTRY e {
  a = f32[16,512]{1,0:T(8,128)} parameter(0)
  row = f32[1,512]{1,0:T(1,128)S(1)} parameter(1)
  z = s32[] parameter(2)
  ROOT d = f32[16,512]{1,0:T(8,128)} dynamic-update-slice(a, row, z, z)
})",
                  Backend::kTpu);
  // One row of eight: its tiles are read and written back. The row itself is in VMEM.
  EXPECT_EQ(counted.of("d").traffic.written, 8 * 512 * 4);
  EXPECT_EQ(counted.of("d").traffic.read, 8 * 512 * 4 + 4);
  EXPECT_EQ(counted.of("d").traffic.near, 512 * 4);
}

TEST(ModuleCost, CollectivesSendByTheirAlgorithm) {
  Counted counted(R"(add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[1000]{0} parameter(0)
  r = f32[1000]{0} all-reduce(a), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  s = (f32[1000]{0}, f32[4000]{0}) all-gather-start(a), channel_id=2, replica_groups=[1,4]<=[4], use_global_device_ids=true, dimensions={0}
  g = f32[4000]{0} all-gather-done(s)
  ROOT p = f32[1000]{0} collective-permute(r), channel_id=3, source_target_pairs={{0,1},{1,0}}
})");
  EXPECT_EQ(counted.of("r").sent, 6000);
  EXPECT_EQ(counted.of("s").sent, 12000);
  EXPECT_EQ(counted.of("g").sent, 0);
  EXPECT_EQ(counted.of("p").sent, 4000);
  EXPECT_EQ(counted.total().sent, 22000);
}

TEST(ModuleCost, LoopsAndBranches) {
  Counted counted(R"(small { p = f32[10]{0} parameter(0)
  ROOT n = f32[10]{0} negate(p) }
large { p.1 = f32[10]{0} parameter(0)
  e = f32[10]{0} exponential(p.1)
  ROOT a = f32[10]{0} add(e, p.1) }
body { x = f32[10]{0} parameter(0)
  i = s32[] constant(0)
  ROOT c = f32[10]{0} conditional(i, x, x), branch_computations={small, large} }
cond { y = f32[10]{0} parameter(0)
  ROOT t = pred[] constant(true) }
ENTRY e.1 {
  q = f32[10]{0} parameter(0)
  ROOT w = f32[10]{0} while(q), condition=cond, body=body, backend_config={"known_trip_count":{"n":"6"}}
})");
  EXPECT_EQ(counted.once().work.flops, 10);
  EXPECT_EQ(counted.total().work.flops, 60);
  EXPECT_EQ(counted.total().work.transcendentals, 60);
}

TEST(ModuleCost, RefusesModulesWithoutOrder) {
  const TextReadResult read = ReadHloText(SourceBuffer::Copy("HloModule m\n", "m"));
  EXPECT_NE(ModuleCost(read.module, Backend::kCpu).problem(), "");
}

TEST(ModuleCost, SplashAttention) {
  const std::string operands = R"(
  q = bf16[4,256,128]{2,1,0} parameter(0)
  k = bf16[2,512,128]{2,1,0} parameter(1)
  v = bf16[2,512,128]{2,1,0} parameter(2)
  m = s8[20]{0} parameter(3)
)";
  const double scores = 4.0 * 256 * 512 * 128;  // multiplications of one product, half by the mask
  Counted forward("ENTRY e {" + operands + R"(
  ROOT splash_mha_fwd.1 = bf16[4,256,128]{2,1,0} custom-call(m, q, k, v), custom_call_target="tpu_custom_call"
})",
                  Backend::kTpu);
  EXPECT_EQ(forward.of("splash_mha_fwd.1").work.product_flops, 2 * scores);
  EXPECT_TRUE(forward.of("splash_mha_fwd.1").known);
  Counted backward("ENTRY e {" + operands + R"(
  ROOT splash_mha_dkv.1 = (bf16[4,256,128]{2,1,0}, bf16[2,512,128]{2,1,0}, bf16[2,512,128]{2,1,0}) custom-call(m, q, k, v), custom_call_target="tpu_custom_call"
})",
                   Backend::kTpu);
  EXPECT_EQ(backward.of("splash_mha_dkv.1").work.product_flops, 5 * scores);
  Counted other("ENTRY e {" + operands + R"(
  ROOT kernel.1 = bf16[4,256,128]{2,1,0} custom-call(m, q, k, v), custom_call_target="tpu_custom_call"
})",
                Backend::kTpu);
  EXPECT_FALSE(other.of("kernel.1").known);
}

}  // namespace
}  // namespace halo
