// Tests the category of copies, fusions and async chains.
#include "halo/view/graph/categories.h"

#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "halo/text/read/read_text.h"

namespace halo::view {
namespace {

constexpr std::string_view kProgram = R"(HloModule categories

%moves (p: f32[8,4], i: s32[]) -> f32[2,4] {
  %p = f32[8,4] parameter(0)
  %i = s32[] parameter(1)
  %zero = s32[] constant(0)
  %two = s32[] constant(2)
  %at = s32[] multiply(%i, %two)
  %row = f32[2,4] dynamic-slice(%p, %at, %zero), dynamic_slice_sizes={2,4}
  ROOT %copied = f32[2,4] copy(%row)
}

%computes (q: f32[8,4]) -> f32[8,4] {
  %q = f32[8,4] parameter(0)
  %r = f32[8,4] reverse(%q), dimensions={0}
  ROOT %n = f32[8,4] negate(%r)
}

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %s = f32[] add(%x, %y)
}

%sums (u: f32[8,4]) -> f32[8] {
  %u = f32[8,4] parameter(0)
  %none = f32[] constant(0)
  %twice = f32[8,4] add(%u, %u)
  ROOT %sum = f32[8] reduce(%twice, %none), dimensions={1}, to_apply=%add
}

%exchange (v: f32[8,4]) -> f32[8,4] {
  %v = f32[8,4] parameter(0)
  ROOT %all = f32[8,4] all-to-all(%v), replica_groups={{0,1}}, dimensions={0}
}

%fused_later (w: f32[8,4]) -> f32[8,4] {
  %w = f32[8,4] parameter(0)
  ROOT %f = f32[8,4] fusion(%w), kind=kLoop, calls=%computes
}

ENTRY %main (a: f32[8,4], k: s32[]) -> f32[8,4] {
  %a = f32[8,4] parameter(0)
  %k = s32[] parameter(1)
  %copy = f32[8,4] copy(%a)
  %slices = f32[2,4] fusion(%a, %k), kind=kLoop, calls=%moves
  %negates = f32[8,4] fusion(%a), kind=kLoop, calls=%computes
  %reduces = f32[8] fusion(%a), kind=kInput, calls=%sums
  %start = ((f32[8,4]), f32[8,4]) async-start(%a), calls=%exchange
  %update = ((f32[8,4]), f32[8,4]) async-update(%start)
  %done = f32[8,4] async-done(%update)
  %gather = (f32[8,4], f32[16,4]) all-gather-start(%a), dimensions={0}
  %gathered = f32[16,4] all-gather-done(%gather)
  %later = ((f32[8,4]), f32[8,4]) async-start(%a), calls=%fused_later
  %after = f32[8,4] async-done(%later)
  ROOT %out = f32[8,4] add(%negates, %done)
}
)";

std::map<std::string, std::string_view> Categories(std::string_view text) {
  const TextReadResult read = ReadHloText(text);
  std::map<std::string, std::string_view> found;
  for (const Inst& inst : read.module.insts) {
    found[std::string(read.module.name_of(inst))] = CategoryText(CategoryOf(read.module, inst));
  }
  return found;
}

TEST(CategoriesTest, ACopyMovesData) { EXPECT_EQ(Categories(kProgram)["copy"], "movement"); }

TEST(CategoriesTest, AFusionThatComputesOnlyIndicesMovesData) {
  auto found = Categories(kProgram);
  EXPECT_EQ(found["slices"], "movement");
  EXPECT_EQ(found["negates"], "fusion");
  EXPECT_EQ(found["reduces"], "reduce");
}

TEST(CategoriesTest, AllPartsOfAnAsyncChainAreWhatItRuns) {
  auto found = Categories(kProgram);
  for (const char* name : {"start", "update", "done", "gather", "gathered"}) {
    EXPECT_EQ(found[name], "collective") << name;
  }
  EXPECT_EQ(found["later"], "fusion");
  EXPECT_EQ(found["after"], "fusion");
}

TEST(CategoriesTest, ABrokenChainIsControl) {
  EXPECT_EQ(Categories("HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
                       "  ROOT d = f32[2] async-done(p)\n}\n")["d"],
            "control");
}

}  // namespace
}  // namespace halo::view
