// Tests which instructions become one kernel, and which do not.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/passes/host/host_passes.h"
#include "halo/passes/test/helpers.h"

namespace halo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kReducers = R"(HloModule m
add {
  p0 = f32[] parameter(0)
  p1 = f32[] parameter(1)
  ROOT s = f32[] add(p0, p1)
}
max {
  p2 = f32[] parameter(0)
  p3 = f32[] parameter(1)
  ROOT t = f32[] maximum(p2, p3)
}
)";

// The entry computation after fusing, one instruction per line.
std::string Fused(std::string_view entry) {
  Module module = ReadModule(std::string(kReducers) + std::string(entry));
  PassLog log;
  Fuse(module, log);
  EXPECT_EQ(Problems(module), "");
  const std::string text = BodyText(module);
  return text.substr(text.find("ENTRY"));
}

size_t Count(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Fuse, SoftmaxIsOneKernelOfRows) {
  const std::string text = Fused(R"(
ENTRY main {
  x = bf16[64,512]{1,0} parameter(0)
  f = f32[64,512]{1,0} convert(x)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[64]{0} reduce(f, low), dimensions={1}, to_apply=max
  mb = f32[64,512]{1,0} broadcast(m), dimensions={0}
  d = f32[64,512]{1,0} subtract(f, mb)
  e = f32[64,512]{1,0} exponential(d)
  s = f32[64]{0} reduce(e, zero), dimensions={1}, to_apply=add
  sb = f32[64,512]{1,0} broadcast(s), dimensions={0}
  q = f32[64,512]{1,0} divide(e, sb)
  ROOT r = bf16[64,512]{1,0} convert(q)
})");
  EXPECT_THAT(text, HasSubstr("bf16[64,512]{1,0} fusion(x), kind=kInput"));
  EXPECT_THAT(text, HasSubstr(R"(backend_config={"kernel_form":"row"})"));
  EXPECT_EQ(Count(text, "fusion("), 1u);
  EXPECT_THAT(text, Not(HasSubstr("reduce(")));
}

// The bitcast is fused into one of its readers and kept for the other, which has too many slices of
// it. Its operand must be computed before it, not in a kernel that needs that reader.
TEST(Fuse, AnOperandOfABitcastThatIsKeptTooComesFirst) {
  std::string entry = R"(
ENTRY main {
  p = f32[64,64]{1,0} parameter(0)
  v = f32[64,64]{1,0} exponential(p)
  b = f32[4096]{0} bitcast(v)
)";
  std::string sum = "s0";
  for (int i = 0; i < 10; ++i) {
    const std::string slice = "s" + std::to_string(i);
    const std::string begin = std::to_string(16 * i);
    entry += "  " + slice + " = f32[16]{0} slice(b), slice={[" + begin + ":" +
             std::to_string(16 * i + 16) + "]}\n";
    if (i == 0) continue;
    entry += "  a" + std::to_string(i) + " = f32[16]{0} add(" + sum + ", " + slice + ")\n";
    sum = "a" + std::to_string(i);
  }
  entry += "  c = f32[16]{0} custom-call(" + sum + "), custom_call_target=\"t\"\n";
  entry += R"(  w = f32[16,4,64]{2,1,0} broadcast(c), dimensions={0}
  u = f32[64,64]{1,0} bitcast(w)
  y = f32[64,64]{1,0} add(v, u)
  x = f32[4096]{0} negate(b)
  ROOT t = (f32[64,64]{1,0}, f32[4096]{0}) tuple(y, x)
})";
  const std::string text = Fused(entry);
  EXPECT_LT(text.find("exponential"), text.find("custom-call"));
}

TEST(Fuse, StatisticsOfANormAreResultsToo) {
  const std::string text = Fused(R"(
ENTRY main {
  x = f32[64,512]{1,0} parameter(0)
  g = f32[512]{0} parameter(1)
  zero = f32[] constant(0)
  eps = f32[] constant(1e-6)
  sq = f32[64,512]{1,0} multiply(x, x)
  s = f32[64]{0} reduce(sq, zero), dimensions={1}, to_apply=add
  epsb = f32[64]{0} broadcast(eps), dimensions={}
  v = f32[64]{0} add(s, epsb)
  rs = f32[64]{0} rsqrt(v)
  rb = f32[64,512]{1,0} broadcast(rs), dimensions={0}
  n = f32[64,512]{1,0} multiply(x, rb)
  gb = f32[64,512]{1,0} broadcast(g), dimensions={1}
  y = f32[64,512]{1,0} multiply(n, gb)
  ROOT all = (f32[64,512]{1,0}, f32[64]{0}) tuple(y, rs)
})");
  EXPECT_EQ(Count(text, "fusion("), 1u);
  EXPECT_THAT(text, HasSubstr("(f32[64,512]{1,0}, f32[64]{0}) fusion(x, g), kind=kInput"));
}

TEST(Fuse, ColumnSumsTakeWhatFollowsThem) {
  const std::string text = Fused(R"(
ENTRY main {
  x = f32[1024,512]{1,0} parameter(0)
  b = f32[512]{0} parameter(1)
  zero = f32[] constant(0)
  n = f32[1024,512]{1,0} negate(x)
  s = f32[512]{0} reduce(n, zero), dimensions={0}, to_apply=add
  t = f32[512]{0} reduce(x, zero), dimensions={0}, to_apply=add
  u = f32[512]{0} add(b, s)
  ROOT all = (f32[512]{0}, f32[512]{0}) tuple(u, t)
})");
  EXPECT_EQ(Count(text, "fusion("), 1u);
  EXPECT_THAT(text, HasSubstr("kind=kInput"));
  EXPECT_THAT(text, HasSubstr(R"(backend_config={"kernel_form":"column"})"));
}

TEST(Fuse, UpdatesOfTheSameShapeAreOneKernel) {
  const std::string text = Fused(R"(
ENTRY main {
  w = f32[4096,16]{1,0} parameter(0)
  m = f32[4096,16]{1,0} parameter(1)
  v = f32[4096,16]{1,0} parameter(2)
  g = f32[4096,16]{1,0} parameter(3)
  m1 = f32[4096,16]{1,0} add(m, g)
  gg = f32[4096,16]{1,0} multiply(g, g)
  v1 = f32[4096,16]{1,0} add(v, gg)
  root = f32[4096,16]{1,0} sqrt(v1)
  step = f32[4096,16]{1,0} divide(m1, root)
  w1 = f32[4096,16]{1,0} subtract(w, step)
  ROOT all = (f32[4096,16]{1,0}, f32[4096,16]{1,0}, f32[4096,16]{1,0}) tuple(w1, m1, v1)
})");
  EXPECT_EQ(Count(text, "fusion("), 1u);
  EXPECT_THAT(text, HasSubstr(R"(backend_config={"kernel_form":"loop"})"));
  EXPECT_EQ(Count(text, "get-tuple-element("), 3u);
}

TEST(Fuse, UpdateInPlaceComputesItsWindow) {
  const std::string text = Fused(R"(
ENTRY main {
  cache = f32[1024,64]{1,0} parameter(0)
  x = f32[1,64]{1,0} parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  e = f32[1,64]{1,0} exponential(x)
  ROOT u = f32[1024,64]{1,0} dynamic-update-slice(cache, e, i, zero)
})");
  EXPECT_EQ(Count(text, "fusion("), 1u);
  EXPECT_THAT(text, HasSubstr(R"(backend_config={"kernel_form":"update"})"));
  EXPECT_THAT(text, HasSubstr("f32[1024,64]{1,0} fusion("));
}

TEST(Fuse, WhatIsUpdatedIsNotReadInTheSameKernel) {
  const std::string text = Fused(R"(
ENTRY main {
  cache = f32[1024,64]{1,0} parameter(0)
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  old = f32[1,64]{1,0} dynamic-slice(cache, i, zero), dynamic_slice_sizes={1,64}
  e = f32[1,64]{1,0} exponential(old)
  ROOT u = f32[1024,64]{1,0} dynamic-update-slice(cache, e, i, zero)
})");
  EXPECT_EQ(Count(text, "fusion("), 2u);
}

// The row reduction is between two uses of y, so a single kernel would depend on itself.
TEST(Fuse, NoKernelWaitsForItself) {
  const std::string text = Fused(R"(
ENTRY main {
  x = f32[256,256]{1,0} parameter(0)
  y = f32[256,256]{1,0} exponential(x)
  d = f32[256,256]{1,0} dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[256,256]{1,0} add(y, d)
})");
  EXPECT_THAT(text, HasSubstr("y = f32[256,256]{1,0} exponential(x)"));
  EXPECT_THAT(text, HasSubstr("add(y, d)"));
}

TEST(Fuse, ExpensiveValuesAreNotComputedPerColumn) {
  const std::string text = Fused(R"(
ENTRY main {
  v = f32[4096]{0} parameter(0)
  x = f32[4096,4096]{1,0} parameter(1)
  e = f32[4096]{0} exponential(v)
  b = f32[4096,4096]{1,0} broadcast(e), dimensions={1}
  ROOT r = f32[4096,4096]{1,0} add(x, b)
})");
  EXPECT_THAT(text, HasSubstr("e = f32[4096]{0} exponential(v)"));
  EXPECT_EQ(Count(text, "fusion("), 1u);
}

TEST(Fuse, BitcastsOfOperandsStayOutside) {
  const std::string text = Fused(R"(
ENTRY main {
  x = f32[4,16]{1,0} parameter(0)
  b = f32[64]{0} bitcast(x)
  n = f32[64]{0} negate(b)
  ROOT e = f32[64]{0} exponential(n)
})");
  EXPECT_THAT(text, HasSubstr("b = f32[64]{0} bitcast(x)"));
  EXPECT_THAT(text, HasSubstr("negate_exponential_fusion = f32[64]{0} fusion(b), kind=kLoop"));
}

}  // namespace
}  // namespace halo
