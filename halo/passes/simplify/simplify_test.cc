// Tests the passes before fusion, each on a module that shows what it does and what it must leave
// alone.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/passes/host/host_passes.h"
#include "halo/passes/test/helpers.h"

namespace halo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The body of an entry with two f32[4] parameters, a and b.
std::string Entry(std::string_view body) {
  return "HloModule m\nENTRY main {\n  a = f32[4]{0} parameter(0)\n  b = f32[4]{0} parameter(1)\n" +
         std::string(body) + "\n}\n";
}

std::string After(bool (*pass)(Module&, PassLog&), std::string_view text) {
  Module module = ReadModule(text);
  PassLog log;
  pass(module, log);
  EXPECT_EQ(Problems(module), "");
  return BodyText(module);
}

TEST(HostLayouts, DropsTilesAndSpaces) {
  const std::string text = After(HostLayouts, R"(HloModule m, is_scheduled=true
ENTRY main {
  x = f32[8,128]{1,0:T(8,128)S(1)} parameter(0)
  y = f32[8,128] negate(x)
  ROOT z = f32[8,128]{0,1:T(8,128)} copy(y)
})");
  EXPECT_THAT(text, HasSubstr("x = f32[8,128]{1,0} parameter(0)"));
  EXPECT_THAT(text, HasSubstr("y = f32[8,128]{1,0} negate(x)"));
  EXPECT_THAT(text, HasSubstr("z = f32[8,128]{0,1} copy(y)"));
}

TEST(Synchronize, StartsBecomeTheirOps) {
  const std::string text = After(Synchronize, R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[4]{0} parameter(0)
  start = f32[4]{0} all-reduce-start(x), replica_groups={}, to_apply=add
  done = f32[4]{0} all-reduce-done(start)
  copy-start = (f32[4]{0}, f32[4]{0}, u32[]) copy-start(done)
  copy-done = f32[4]{0} copy-done(copy-start)
  marked = f32[4]{0} custom-call(copy-done), custom_call_target="Sharding"
  slice-start = ((f32[4]{0}), f32[2]{0}, s32[]) slice-start(marked), slice={[0:2]}
  ROOT slice-done = f32[2]{0} slice-done(slice-start)
})");
  EXPECT_THAT(text, HasSubstr("all-reduce = f32[4]{0} all-reduce(x)"));
  EXPECT_THAT(text, HasSubstr("ROOT call = f32[2]{0} call(all-reduce)"));
  EXPECT_THAT(text, Not(HasSubstr("start")));
  EXPECT_THAT(text, Not(HasSubstr("Sharding")));
}

TEST(InlineCalls, FusionsOfFusionsBecomeFlat) {
  const std::string text = After(InlineCalls, R"(HloModule m
inner {
  p = f32[4]{0} parameter(0)
  ROOT n = f32[4]{0} negate(p)
}
outer {
  p.1 = f32[4]{0} parameter(0)
  f = f32[4]{0} fusion(p.1), kind=kLoop, calls=inner
  ROOT e = f32[4]{0} exponential(f)
}
ENTRY main {
  x = f32[4]{0} parameter(0)
  one = f32[4]{0} call(x), to_apply=outer
  ROOT two = f32[4]{0} call(one), to_apply=outer
})");
  EXPECT_THAT(text, HasSubstr("n = f32[4]{0} negate(x)\n  e = f32[4]{0} exponential(n)\n"
                              "  n.1 = f32[4]{0} negate(e)\n  ROOT e.1 = f32[4]{0} "
                              "exponential(n.1)"));
  EXPECT_THAT(text, Not(HasSubstr("call")));
}

TEST(Simplify, NeutralOperandsKeepSignedZeros) {
  const std::string_view plus_zero = R"(  z = f32[] constant(0)
  zs = f32[4]{0} broadcast(z), dimensions={}
  ROOT r = f32[4]{0} add(a, zs))";
  EXPECT_THAT(After(Simplify, Entry(plus_zero)), HasSubstr("r = f32[4]{0} add(a, zs)"));
  const std::string_view minus_zero = R"(  z = f32[] constant(-0)
  zs = f32[4]{0} broadcast(z), dimensions={}
  s = f32[4]{0} add(a, zs)
  o = f32[] constant(1)
  os = f32[4]{0} broadcast(o), dimensions={}
  p = f32[4]{0} multiply(os, s)
  ROOT r = f32[4]{0} negate(p))";
  EXPECT_THAT(After(Simplify, Entry(minus_zero)), HasSubstr("negate(a)"));
}

TEST(Simplify, ConvertsThroughWiderTypesOnly) {
  const std::string wide = After(Simplify, R"(HloModule m
ENTRY main {
  x = bf16[4]{0} parameter(0)
  w = f32[4]{0} convert(x)
  n = bf16[4]{0} convert(w)
  ROOT r = bf16[4]{0} negate(n)
})");
  EXPECT_THAT(wide, HasSubstr("negate(x)"));
  const std::string narrow = After(Simplify, R"(HloModule m
ENTRY main {
  x = f32[4]{0} parameter(0)
  n = bf16[4]{0} convert(x)
  w = f32[4]{0} convert(n)
  ROOT r = f32[4]{0} negate(w)
})");
  EXPECT_THAT(narrow, HasSubstr("negate(w)"));
}

TEST(Simplify, MovementThatIsFreeBecomesABitcast) {
  const std::string text = After(Simplify, R"(HloModule m
ENTRY main {
  x = f32[2,3,4]{2,1,0} parameter(0)
  t = f32[4,2,3]{0,2,1} transpose(x), dimensions={2,0,1}
  r = f32[6,4]{1,0} reshape(x)
  s = f32[3,2,4]{2,1,0} transpose(x), dimensions={1,0,2}
  ROOT all = (f32[4,2,3]{0,2,1}, f32[6,4]{1,0}, f32[3,2,4]{2,1,0}) tuple(t, r, s)
})");
  EXPECT_THAT(text, HasSubstr("f32[4,2,3]{0,2,1} bitcast(x)"));
  EXPECT_THAT(text, HasSubstr("f32[6,4]{1,0} bitcast(x)"));
  EXPECT_THAT(text, HasSubstr("s = f32[3,2,4]{2,1,0} transpose(x), dimensions={1,0,2}"));
}

TEST(Simplify, ReduceOfOneElementNeedsANeutralStart) {
  const std::string_view module = R"(HloModule m
max {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] maximum(a, b)
}
ENTRY main {
  x = f32[4,1]{1,0} parameter(0)
  z = f32[] constant(START)
  ROOT r = f32[4]{0} reduce(x, z), dimensions={1}, to_apply=max
})";
  std::string text(module);
  EXPECT_THAT(After(Simplify, text.replace(text.find("START"), 5, "-inf")),
              HasSubstr("ROOT bitcast = f32[4]{0} bitcast(x)"));
  text = module;
  EXPECT_THAT(After(Simplify, text.replace(text.find("START"), 5, "0")), HasSubstr("reduce(x, z)"));
}

TEST(Simplify, AKnownBranchIsCalled) {
  const std::string text = After(Simplify, R"(HloModule m
yes {
  p = f32[4]{0} parameter(0)
  ROOT n = f32[4]{0} negate(p)
}
no {
  ROOT p.1 = f32[4]{0} parameter(0)
}
ENTRY main {
  x = f32[4]{0} parameter(0)
  c = pred[] constant(true)
  ROOT r = f32[4]{0} conditional(c, x, x), true_computation=yes, false_computation=no
})");
  EXPECT_THAT(text, HasSubstr("call(x), to_apply=yes"));
}

TEST(FoldConstants, SmallResultsAreComputedAndIotasStay) {
  const std::string text = After(FoldConstants, R"(HloModule m
ENTRY main {
  x = f32[4]{0} parameter(0)
  i = f32[4]{0} iota(), iota_dimension=0
  e = f32[4]{0} multiply(i, i)
  large = s32[4096]{0} iota(), iota_dimension=0
  twice = s32[4096]{0} add(large, large)
  r = f32[4]{0} add(x, e)
  ROOT all = (f32[4]{0}, s32[4096]{0}) tuple(r, twice)
})");
  EXPECT_THAT(text, HasSubstr("constant({0, 1, 4, 9})"));
  EXPECT_THAT(text, HasSubstr("twice = s32[4096]{0} add(large, large)"));
}

TEST(ShareEqual, EqualReducersAreEqualAndRandomNumbersAreNot) {
  const std::string text = After(ShareEqual, R"(HloModule m
one {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
two {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT t = f32[] add(c, d)
}
ENTRY main {
  x = f32[4]{0} parameter(0)
  z = f32[] constant(0)
  r = f32[] reduce(x, z), dimensions={0}, to_apply=one
  q = f32[] reduce(x, z), dimensions={0}, to_apply=two
  o = f32[] constant(1)
  u = f32[] rng(z, o), distribution=rng_uniform
  v = f32[] rng(z, o), distribution=rng_uniform
  ROOT all = (f32[], f32[], f32[], f32[]) tuple(r, q, u, v)
})");
  EXPECT_THAT(text, HasSubstr("tuple(r, r, u, v)"));
}

TEST(SimplifyLoops, CarriesWhatChangesAndIsNeeded) {
  const std::string text = After(SimplifyLoops, R"(HloModule m
body {
  p = (s32[], f32[4]{0}, f32[4]{0}, s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[4]{0} get-tuple-element(p), index=1
  dead = f32[4]{0} get-tuple-element(p), index=2
  one = s32[] get-tuple-element(p), index=3
  next = s32[] add(i, one)
  y = f32[4]{0} negate(dead)
  ROOT t = (s32[], f32[4]{0}, f32[4]{0}, s32[]) tuple(next, x, y, one)
}
condition {
  q = (s32[], f32[4]{0}, f32[4]{0}, s32[]) parameter(0)
  j = s32[] get-tuple-element(q), index=0
  n = s32[] constant(3)
  ROOT less = pred[] compare(j, n), direction=LT
}
ENTRY main {
  z = s32[] constant(0)
  o = s32[] constant(1)
  a = f32[4]{0} parameter(0)
  init = (s32[], f32[4]{0}, f32[4]{0}, s32[]) tuple(z, a, a, o)
  w = (s32[], f32[4]{0}, f32[4]{0}, s32[]) while(init), condition=condition, body=body
  last = s32[] get-tuple-element(w), index=0
  same = f32[4]{0} get-tuple-element(w), index=1
  ROOT r = (s32[], f32[4]{0}) tuple(last, same)
})");
  EXPECT_THAT(text, HasSubstr("w = (s32[]) while("));
  EXPECT_THAT(text, HasSubstr("tuple(last, a)"));
  EXPECT_THAT(text, Not(HasSubstr("dead")));
}

TEST(SplitDots, SlicedResultsNeedNoConcatenation) {
  const std::string_view module = R"(HloModule m
ENTRY main {
  x = bf16[2,8]{1,0} parameter(0)
  v = bf16[3,8]{1,0} parameter(1)
  w = bf16[5,8]{1,0} parameter(2)
  vw = bf16[8,8]{1,0} concatenate(v, w), dimensions={0}
  d = bf16[2,8]{1,0} dot(x, vw), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  f = f32[2,8]{1,0} convert(d)
  a = f32[2,3]{1,0} slice(f), slice={[0:2], [0:3]}
  b = f32[2,2]{1,0} slice(f), slice={[0:2], [FROM:6]}
  ROOT r = (f32[2,3]{1,0}, f32[2,2]{1,0}) tuple(a, b)
})";
  std::string text(module);
  text = After(SplitDots, text.replace(text.find("FROM"), 4, "4"));
  EXPECT_THAT(text, Not(HasSubstr("concatenate")));
  EXPECT_THAT(text, HasSubstr("bf16[2,3]{1,0} dot(x, v)"));
  EXPECT_THAT(text, HasSubstr("bf16[2,5]{1,0} dot(x, w)"));
  EXPECT_THAT(text, HasSubstr("slice={[0:2], [1:3]}"));
  // A slice that crosses the boundary needs the whole result.
  text = module;
  text.replace(text.find("FROM"), 4, "2");
  text.replace(text.find("2,2]{1,0} slice"), 3, "2,4");
  text.replace(text.find("f32[2,2]{1,0}) tuple"), 8, "f32[2,4]");
  EXPECT_THAT(After(SplitDots, text), HasSubstr("dot(x, vw)"));
}

TEST(ExpandDots, OnlyMatrixProductsStay) {
  const auto expanded = [](const std::string& x, const std::string& y, const std::string& dot) {
    return After(ExpandDots, "HloModule m\nENTRY main {\n  x = " + x + " parameter(0)\n  y = " + y +
                                 " parameter(1)\n  ROOT d = " + dot + "\n}\n");
  };
  // Without a sum: a multiplication.
  std::string text =
      expanded("f32[3,5,4]{2,1,0}", "f32[5,3]{1,0}",
               "f32[3,5,4]{2,1,0} dot(x, y), lhs_batch_dims={0,1}, rhs_batch_dims={1,0}");
  EXPECT_THAT(text, Not(HasSubstr(" dot(")));
  EXPECT_THAT(text, HasSubstr("f32[3,5]{0,1} transpose(y), dimensions={1,0}"));
  EXPECT_THAT(text, HasSubstr("broadcast(transpose), dimensions={0,1}"));
  text = expanded("f64[3,1]{1,0}", "f64[1,4]{1,0}",
                  "f64[3,4]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  EXPECT_THAT(text, HasSubstr("ROOT multiply"));
  // One row and one column: a sum of products.
  text = expanded("f32[3,1,5]{2,1,0}", "f32[3,5]{1,0}",
                  "f32[3,1]{1,0} dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                  "lhs_contracting_dims={2}, rhs_contracting_dims={1}");
  EXPECT_THAT(text, HasSubstr("f32[3]{0} reduce("));
  EXPECT_THAT(text, HasSubstr("f32[3,1]{1,0} reshape("));
  EXPECT_THAT(
      expanded("f32[3,5]{1,0}", "f32[5,4]{1,0}",
               "f32[3,4]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
      HasSubstr(" dot(x, y)"));
  EXPECT_THAT(expanded("bf16[5]{0}", "bf16[5]{0}",
                       "bf16[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
              HasSubstr(" dot(x, y)"));
}

TEST(FreeTransposes, DotsTakeArraysInStoredOrder) {
  const std::string text = After(FreeTransposes, R"(HloModule m
ENTRY main {
  q = f32[2,8,4,16]{3,2,1,0} parameter(0)
  k = f32[2,8,4,16]{3,2,1,0} parameter(1)
  qt = f32[2,4,8,16]{3,2,1,0} transpose(q), dimensions={0,2,1,3}
  kt = f32[16,2,8,4]{3,2,1,0} transpose(k), dimensions={3,0,1,2}
  d = f32[2,4,8,8]{3,2,1,0} dot(qt, kt), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={1,3}, rhs_contracting_dims={0}
  dt = f32[2,8,4,8]{3,2,1,0} transpose(d), dimensions={0,2,1,3}
  b = f32[4,2,8,8]{3,2,1,0} dot(qt, kt), lhs_batch_dims={1,0}, lhs_contracting_dims={3}, rhs_batch_dims={3,1}, rhs_contracting_dims={0}
  bt = f32[8,8,2,4]{3,2,1,0} transpose(b), dimensions={2,3,1,0}
  ROOT r = (f32[2,8,4,8]{3,2,1,0}, f32[8,8,2,4]{3,2,1,0}) tuple(dt, bt)
})");
  EXPECT_THAT(text, HasSubstr("f32[2,4,8,16]{3,1,2,0} bitcast(q)"));
  EXPECT_THAT(text, HasSubstr("f32[16,2,8,4]{0,3,2,1} bitcast(k)"));
  EXPECT_THAT(text, HasSubstr("d = f32[2,4,8,8]{3,1,2,0} dot("));
  EXPECT_THAT(text, HasSubstr("f32[2,8,4,8]{3,2,1,0} bitcast(d)"));
  // With a batch dimension innermost, the dot would have to copy.
  EXPECT_THAT(text, HasSubstr("bt = f32[8,8,2,4]{3,2,1,0} transpose(b)"));
}

TEST(Decompose, BatchNormBecomesBasicOps) {
  const std::string text = After(Decompose, R"(HloModule m
ENTRY main {
  x = f32[8,4]{1,0} parameter(0)
  scale = f32[4]{0} parameter(1)
  offset = f32[4]{0} parameter(2)
  ROOT n = (f32[8,4]{1,0}, f32[4]{0}, f32[4]{0}) batch-norm-training(x, scale, offset), epsilon=0.001, feature_index=1
})");
  EXPECT_THAT(text, Not(HasSubstr("batch-norm")));
  EXPECT_THAT(text, HasSubstr("reduce"));
}

}  // namespace
}  // namespace halo
