// Checks loop kernels and single instructions against the evaluator.
#include "halo/codegen/forms/lower_kernel.h"

#include <pthread.h>

#include <gtest/gtest.h>

#include "halo/codegen/test/kernel_check.h"

namespace halo {
namespace {

constexpr const char* kTwo = "a = f32[37,5]{1,0} parameter(0)\nb = f32[37,5]{1,0} parameter(1)";

TEST(LoopKernelTest, Elementwise) {
  ExpectKernel(OneOp(kTwo, "f32[37,5]{1,0} add(a, b)"), {.specials = true});
  ExpectKernel(OneOp(kTwo, "f32[37,5]{1,0} maximum(a, b)"), {.specials = true});
  ExpectKernel(OneOp(kTwo, "f32[37,5]{1,0} add(a, b)"), {.result_over_operand = {{0, 1}}});
  ExpectKernel(OneOp("a = f32[1000,3]{0,1} parameter(0)\nb = f32[1000,3]{1,0} parameter(1)",
                     "f32[1000,3]{0,1} subtract(a, b)"));
  ExpectKernel(OneOp("a = bf16[99999] parameter(0)\nb = bf16[99999] parameter(1)",
                     "bf16[99999] multiply(a, b)"));
  ExpectKernel(OneOp("p = pred[] parameter(0)\na = s8[70] parameter(1)\nb = s8[70] parameter(2)",
                     "s8[70] select(p, a, b)"));
  ExpectKernel(
      OneOp("a = c64[4,3] parameter(0)\nb = c64[4,3] parameter(1)", "c64[4,3] multiply(a, b)"));
  ExpectKernel(OneOp("a = f32[] parameter(0)", "f32[] exponential(a)"));
  ExpectKernel(OneOp("a = f32[0,4] parameter(0)", "f32[0,4] negate(a)"));
  ExpectKernel(OneOp("a = f32[6]{0} parameter(0)\nb = f32[6]{0} parameter(1)",
                     "pred[6]{0} compare(a, b), direction=LT"));
}

TEST(LoopKernelTest, Movement) {
  const std::string a = "a = f32[4,6,5]{2,1,0} parameter(0)";
  ExpectKernel(OneOp(a, "f32[4,6,5]{0,2,1} copy(a)"));
  ExpectKernel(OneOp(a, "f32[5,4,6]{2,1,0} transpose(a), dimensions={2,0,1}"));
  ExpectKernel(OneOp(a, "f32[24,5]{1,0} reshape(a)"));
  ExpectKernel(OneOp(a, "f32[3,40]{0,1} reshape(a)"));
  ExpectKernel(OneOp(a, "f32[2,2,3,2,1,5]{5,4,3,2,1,0} reshape(a)"));
  ExpectKernel(OneOp("a = f32[7,9]{0,1} parameter(0)", "f32[63]{0} reshape(a)"));
  ExpectKernel(OneOp("a = f32[6,4]{0,1} parameter(0)", "f32[8,3]{0,1} bitcast(a)"));
  ExpectKernel(OneOp(a, "f32[2,3,2] slice(a), slice={[1:3], [0:6:2], [1:5:3]}"));
  ExpectKernel(OneOp(a, "f32[4,6,5] reverse(a), dimensions={0,2}"));
  ExpectKernel(
      OneOp("a = f32[4,5] parameter(0)", "f32[3,4,2,5]{1,3,2,0} broadcast(a), dimensions={1,3}"));
  ExpectKernel(OneOp("", "s32[5,7]{0,1} iota(), iota_dimension=1"));
  ExpectKernel(OneOp("", "bf16[400] iota(), iota_dimension=0"));
  ExpectKernel(OneOp("a = f32[2,0,3] parameter(0)", "f32[0,6] reshape(a)"));
}

TEST(LoopKernelTest, BitsOfOtherWidths) {
  ExpectKernel(OneOp("a = u64[7,5] parameter(0)", "u32[7,5,2] bitcast-convert(a)"));
  ExpectKernel(OneOp("a = s64[7,5]{0,1} parameter(0)", "s8[7,5,8]{0,2,1} bitcast-convert(a)"));
  ExpectKernel(OneOp("a = f64[33] parameter(0)", "f32[33,2] bitcast-convert(a)"));
  ExpectKernel(OneOp("a = f32[] parameter(0)", "u16[2] bitcast-convert(a)"));
  ExpectKernel(OneOp("a = u32[7,5,2] parameter(0)", "f64[7,5] bitcast-convert(a)"));
  ExpectKernel(OneOp("a = u8[9,4]{0,1} parameter(0)", "s32[9] bitcast-convert(a)"));
}

TEST(LoopKernelTest, Transposes) {
  for (const char* type : {"f32", "bf16", "s8", "f64", "pred", "c64"}) {
    const std::string t = type;
    ExpectKernel(
        OneOp("a = " + t + "[130,90] parameter(0)", t + "[90,130] transpose(a), dimensions={1,0}"));
  }
  ExpectKernel(OneOp("a = f32[128,192] parameter(0)", "f32[128,192]{0,1} copy(a)"));
  ExpectKernel(OneOp("a = f32[3,70,5,40] parameter(0)",
                     "f32[3,40,70,5] transpose(a), dimensions={0,3,1,2}"));
  ExpectKernel(
      "HloModule m\nf {\na = f32[100,90] parameter(0)\nb = f32[90,70] parameter(1)\n"
      "s = f32[70,90] slice(a), slice={[20:90], [0:90]}\n"
      "t = f32[90,70] transpose(s), dimensions={1,0}\nu = f32[90,70] add(t, b)\n"
      "v = f32[70,90] slice(a), slice={[10:80], [0:90]}\n"
      "w = f32[90,70] transpose(v), dimensions={1,0}\nROOT r = f32[90,70] multiply(u, w)\n}\n"
      "ENTRY e {\na = f32[100,90] parameter(0)\nb = f32[90,70] parameter(1)\n"
      "ROOT r = f32[90,70] fusion(a, b), kind=kLoop, calls=f\n}\n",
      {.result_over_operand = {{0, 1}}});
}

// Larger than the caches: written with non-temporal stores.
TEST(LoopKernelTest, LargeResults) {
  ExpectKernel(OneOp("a = f32[2051,4099] parameter(0)", "f32[2051,4099] negate(a)"));
  ExpectKernel(OneOp("a = f32[2049,4096] parameter(0)", "f32[2049,4096] negate(a)"));
  ExpectKernel(
      OneOp("a = f32[2051,4099] parameter(0)", "f32[4099,2051] transpose(a), dimensions={1,0}"));
  ExpectKernel(
      "HloModule m\nf {\na = bf16[4099,4100] parameter(0)\nb = bf16[4100] parameter(1)\n"
      "c = bf16[4099,4100] broadcast(b), dimensions={1}\nROOT d = bf16[4099,4100] add(a, c)\n}\n"
      "ENTRY e {\na = bf16[4099,4100] parameter(0)\nb = bf16[4100] parameter(1)\n"
      "ROOT r = bf16[4099,4100] fusion(a, b), kind=kLoop, calls=f\n}\n",
      {.result_over_operand = {{0, 0}}});
}

TEST(LoopKernelTest, PadAndConcatenate) {
  const std::string a = "a = f32[4,50] parameter(0)\nz = f32[] parameter(1)";
  ExpectKernel(OneOp(a, "f32[7,60] pad(a, z), padding=1_2x3_7"));
  ExpectKernel(OneOp(a, "f32[9,104] pad(a, z), padding=1_1_1x3_2_1"));
  ExpectKernel(OneOp(a, "f32[3,42] pad(a, z), padding=-1_0x-5_-3"));
  ExpectKernel(OneOp("a = f32[0,3] parameter(0)\nz = f32[] parameter(1)",
                     "f32[2,4] pad(a, z), padding=1_1x0_1"));
  const std::string parts =
      "a = s32[3,20] parameter(0)\nb = s32[3,0] parameter(1)\nc = s32[3,70] parameter(2)";
  ExpectKernel(OneOp(parts, "s32[3,90] concatenate(a, b, c), dimensions={1}"));
  ExpectKernel(OneOp("a = s32[3,20]{0,1} parameter(0)\nb = s32[5,20] parameter(1)",
                     "s32[8,20]{0,1} concatenate(a, b), dimensions={0}"));
  ExpectKernel(
      "HloModule m\nf {\na = s32[3,20] parameter(0)\nb = s32[3,70] parameter(1)\n"
      "c = s32[3,90] concatenate(a, b), dimensions={1}\nROOT n = s32[3,90] negate(c)\n}\n"
      "ENTRY e {\na = s32[3,20] parameter(0)\nb = s32[3,70] parameter(1)\n"
      "ROOT r = s32[3,90] fusion(a, b), kind=kLoop, calls=f\n}\n");
}

TEST(LoopKernelTest, DynamicSlices) {
  const KernelCheck wild{.lowest = -4, .highest = 9};
  const std::string a =
      "a = f32[6,40] parameter(0)\ni = s32[] parameter(1)\nj = s32[] parameter(2)";
  ExpectKernel(OneOp(a, "f32[2,33] dynamic-slice(a, i, j), dynamic_slice_sizes={2,33}"), wild);
  ExpectKernel(OneOp("a = f32[6,40] parameter(0)\ni = u64[] parameter(1)\nj = u64[] parameter(2)",
                     "f32[2,33] dynamic-slice(a, i, j), dynamic_slice_sizes={2,33}"),
               wild);
  const std::string u =
      "a = f32[6,40] parameter(0)\nu = f32[2,33] parameter(1)\ni = s32[] parameter(2)\n"
      "j = s32[] parameter(3)";
  const std::string update = OneOp(u, "f32[6,40] dynamic-update-slice(a, u, i, j)");
  ExpectKernel(update, wild);
  ExpectKernel(update, {.lowest = 1, .highest = 3, .result_over_operand = {{0, 0}}});
  const std::string fused =
      "HloModule m\nf {\na = f32[6,40] parameter(0)\nu = f32[2,33] parameter(1)\n"
      "i = s32[] parameter(2)\nz = s32[] constant(3)\nn = f32[2,33] negate(u)\n"
      "ROOT d = f32[6,40] dynamic-update-slice(a, n, i, z)\n}\n"
      "ENTRY e {\na = f32[6,40] parameter(0)\nu = f32[2,33] parameter(1)\ni = s32[] parameter(2)\n"
      "ROOT r = f32[6,40] fusion(a, u, i), kind=kLoop, calls=f\n}\n";
  ExpectKernel(fused, {.lowest = 2, .highest = 2, .result_over_operand = {{0, 0}}});
  ExpectKernel(fused);
  // Not in place: a later op computes on the whole result.
  ExpectKernel(
      "HloModule m\nf {\na = f32[6,40] parameter(0)\nu = f32[2,33] parameter(1)\n"
      "i = s32[] parameter(2)\nz = s32[] constant(3)\n"
      "d = f32[6,40] dynamic-update-slice(a, u, i, z)\nROOT n = f32[6,40] negate(d)\n}\n"
      "ENTRY e {\na = f32[6,40] parameter(0)\nu = f32[2,33] parameter(1)\ni = s32[] parameter(2)\n"
      "ROOT r = f32[6,40] fusion(a, u, i), kind=kLoop, calls=f\n}\n");
}

TEST(LoopKernelTest, Gather) {
  const KernelCheck wild{.lowest = -4, .highest = 9};
  ExpectKernel(OneOp("a = f32[6,40] parameter(0)\ni = s32[11,1] parameter(1)",
                     "f32[11,40] gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, "
                     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,40}"),
               wild);
  ExpectKernel(OneOp("a = f32[6,5,4]{0,1,2} parameter(0)\ni = s64[2,3] parameter(1)",
                     "f32[3,4,2] gather(a, i), offset_dims={1,2}, collapsed_slice_dims={0}, "
                     "start_index_map={2,0}, index_vector_dim=0, slice_sizes={1,4,2}"),
               wild);
  ExpectKernel(OneOp("a = f32[3,6,4] parameter(0)\ni = u32[7,3] parameter(1)",
                     "f32[7,3,4] gather(a, i), offset_dims={2}, collapsed_slice_dims={1}, "
                     "start_index_map={1}, operand_batching_dims={0}, "
                     "start_indices_batching_dims={1}, index_vector_dim=2, slice_sizes={1,1,4}"),
               {.lowest = 0, .highest = 9});
}

TEST(LoopKernelTest, Fusions) {
  ExpectKernel(
      "HloModule m\nadd {\nx = f32[] parameter(0)\ny = f32[] parameter(1)\n"
      "ROOT s = f32[] add(x, y)\n}\n"
      "f {\na = f32[8,12,16] parameter(0)\nb = bf16[16] parameter(1)\nz = f32[] constant(0.5)\n"
      "c = f32[16] convert(b)\nbb = f32[8,12,16] broadcast(c), dimensions={2}\n"
      "s = f32[8,12,16] add(a, bb)\nk = f32[4,1] constant({{1},{2},{3},{4}})\n"
      "w = f32[96,16] reshape(s)\nt = f32[16,96] transpose(w), dimensions={1,0}\n"
      "q = f32[16,24,4] reshape(t)\nrs = f32[16,24] reduce(q, z), dimensions={2}, to_apply=add\n"
      "k1 = f32[4] reshape(k)\nkb = f32[16,24,4] broadcast(k1), dimensions={2}\n"
      "qk = f32[16,24,4] multiply(q, kb)\n"
      "r2 = f32[16,24] reduce(qk, z), dimensions={2}, to_apply=add\n"
      "e = f32[16,24] exponential(r2)\n"
      "ROOT o = (f32[16,24], f32[16,24]) tuple(rs, e)\n}\n"
      "ENTRY e {\na = f32[8,12,16] parameter(0)\nb = bf16[16] parameter(1)\n"
      "ROOT r = (f32[16,24], f32[16,24]) fusion(a, b), kind=kLoop, calls=f\n}\n",
      {.summed = 4});
  ExpectKernel(
      "HloModule m\nf {\np = (f32[9], s32[9]) parameter(0)\na = f32[9] get-tuple-element(p), "
      "index=0\nb = s32[9] get-tuple-element(p), index=1\nc = f32[9] convert(b)\n"
      "ROOT s = f32[9] add(a, c)\n}\nENTRY e {\na = f32[9] parameter(0)\nb = s32[9] parameter(1)\n"
      "t = (f32[9], s32[9]) tuple(a, b)\nROOT r = f32[9] fusion(t), kind=kLoop, calls=f\n}\n");
}

// The last dimension cannot be joined with the one before, since b has no such dimension.
TEST(LoopKernelTest, FewInnerElements) {
  for (const std::string type : {"f32", "bf16", "f64", "s8", "c64"}) {
    for (const std::string inner : {"2", "3", "4", "7", "8", "2,2"}) {
      const std::string whole = type + "[5,270," + inner + "]";
      const std::string flat = type + "[5,270]";
      ExpectKernel("HloModule m\nf {\na = " + whole + " parameter(0)\nb = " + flat +
                   " parameter(1)\nc = " + whole + " broadcast(b), dimensions={0,1}\nd = " + whole +
                   " subtract(a, c)\nm = " + whole + " multiply(a, c)\nROOT r = (" + whole + ", " +
                   whole + ") tuple(d, m)\n}\nENTRY e {\na = " + whole +
                   " parameter(0)\nb = " + flat + " parameter(1)\nROOT r = (" + whole + ", " +
                   whole + ") fusion(a, b), kind=kLoop, calls=f\n}\n");
    }
  }
}

TEST(LoopKernelTest, EqualKeysForEqualCode) {
  const std::string one = OneOp(kTwo, "f32[37,5]{1,0} add(a, b), metadata={op_name=\"x\"}");
  const std::string other = OneOp(kTwo, "f32[37,5]{1,0} subtract(a, b)");
  const auto key = [](const std::string& text) {
    const TextReadResult read = ReadHloText(text);
    std::string why;
    return LowerKernel(read.module, read.module.comp(read.module.entry).root, why)->key;
  };
  EXPECT_EQ(key(one), key(OneOp(kTwo, "f32[37,5]{1,0} add(a, b)")));
  EXPECT_NE(key(one), key(other));
}

// A fusion of this many instructions, each of which reads the one before.
std::string Chain(int64_t length, const std::string& op) {
  std::string text = "HloModule m\nf {\n  x0 = f32[64]{0} parameter(0)\n";
  for (int64_t i = 1; i <= length; ++i) {
    const std::string before = "x" + std::to_string(i - 1);
    text += std::string(i == length ? "  ROOT x" : "  x") + std::to_string(i) + " = f32[64]{0} " +
            op + "(" + before + (op == "add" ? ", " + before : "") + ")\n";
  }
  return text + "}\nENTRY e {\n  a = f32[64]{0} parameter(0)\n  ROOT r = f32[64]{0} fusion(a), " +
         "kind=kLoop, calls=f\n}\n";
}

// Lowers the root on a thread with this much stack, as a program that embeds the engine may.
std::optional<LoweredKernel> LoweredOnThread(const Module& module, size_t stack, std::string& why) {
  struct Call {
    const Module& module;
    std::string& why;
    std::optional<LoweredKernel> lowered;
  };
  Call call{module, why, std::nullopt};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread = 0;
  const auto run = [](void* given) -> void* {
    Call& to = *static_cast<Call*>(given);
    to.lowered = LowerKernel(to.module, to.module.comp(to.module.entry).root, to.why);
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &call), 0);
  pthread_attr_destroy(&attributes);
  pthread_join(thread, nullptr);
  return std::move(call.lowered);
}

TEST(LoopKernelTest, DeepChainsNeedLittleStack) {
#ifdef HALO_SANITIZED
  constexpr size_t kSmallStack = size_t{16} << 20;  // sanitized frames are many times as large
#else
  constexpr size_t kSmallStack = size_t{512} << 10;
#endif
  std::string why;
  const TextReadResult fits = ReadHloText(Chain(200, "negate"));
  ASSERT_TRUE(fits.diagnostics.ok());
  EXPECT_TRUE(LoweredOnThread(fits.module, kSmallStack, why)) << why;
  for (const char* op : {"negate", "add", "exponential"}) {
    const TextReadResult read = ReadHloText(Chain(5000, op));
    ASSERT_TRUE(read.diagnostics.ok());
    EXPECT_FALSE(LoweredOnThread(read.module, kSmallStack, why));
    EXPECT_EQ(why, "instructions nested too deeply");
  }
}

// The form is the one that the fusion stores, not one that would do as well.
TEST(LoopKernelTest, TheStoredFormDecides) {
  const auto text = [](const std::string& form) {
    return "HloModule m\nadd {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n"
           "  ROOT s = f32[] add(p, q)\n}\nf {\n  x = f32[20000,16]{1,0} parameter(0)\n"
           "  zero = f32[] constant(0)\n  n = f32[20000,16]{1,0} negate(x)\n"
           "  ROOT r = f32[16]{0} reduce(n, zero), dimensions={0}, to_apply=add\n}\n"
           "ENTRY e {\n  a = f32[20000,16]{1,0} parameter(0)\n  ROOT r = f32[16]{0} fusion(a), "
           "kind=kInput, calls=f" +
           form + "\n}\n";
  };
  // Columns are summed in pieces first, a loop sums each at once.
  const auto parts = [&](const std::string& form) {
    const TextReadResult read = ReadHloText(text(form));
    EXPECT_TRUE(read.diagnostics.ok());
    std::string why;
    const auto kernel = LowerKernel(read.module, read.module.comp(read.module.entry).root, why);
    EXPECT_TRUE(kernel.has_value()) << why;
    return kernel ? kernel->calls.size() : 0;
  };
  const std::string by_column = R"(, backend_config={"kernel_form":"column"})";
  const std::string by_loop = R"(, backend_config={"kernel_form":"loop"})";
  EXPECT_GT(parts(by_column), 1U);
  EXPECT_EQ(parts(""), parts(by_column));
  EXPECT_EQ(parts(by_loop), 1U);
  ExpectKernel(text(by_column), {.summed = 20000});
  ExpectKernel(text(by_loop), {.summed = 20000});
}

}  // namespace
}  // namespace halo
