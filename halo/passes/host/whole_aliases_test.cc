// Tests aliases between arrays that partitioning divides differently.
#include <gtest/gtest.h>

#include "halo/ir/attributes/aliasing.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/test/helpers.h"

namespace halo {
namespace {

std::vector<AliasEntry> AliasesOf(const Module& module) {
  return DecodeAliases(module.IntsOf(module.attrs, AttrKey::k_input_output_alias));
}

TEST(WholeAliases, AliasesOfOtherSizesAreDropped) {
  Module module = ReadModule(
      R"(HloModule whole, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }, num_partitions=4

ENTRY main {
  p = f32[2,3]{1,0} parameter(0), sharding={replicated}
  q = f32[8,3]{1,0} parameter(1), sharding={devices=[4,1]<=[4]}
  a = f32[8,3]{1,0} add(q, q)
  b = f32[8,3]{1,0} multiply(q, q)
  ROOT r = (f32[8,3]{1,0}, f32[8,3]{1,0}) tuple(a, b)
}
)");
  PassLog log;
  EXPECT_TRUE(WholeAliases(module, log));
  ASSERT_EQ(AliasesOf(module).size(), 1U);
  EXPECT_EQ(AliasesOf(module)[0].number, 1);
  EXPECT_EQ(Problems(module), "");
  EXPECT_FALSE(WholeAliases(module, log));
}

TEST(WholeAliases, NoAttributeIsLeftWithoutAliases) {
  Module module =
      ReadModule(R"(HloModule whole, input_output_alias={ {}: (0, {}, may-alias) }, num_partitions=4

ENTRY main {
  p = f32[2]{0} parameter(0), sharding={replicated}
  ROOT b = f32[8]{0} iota(), iota_dimension=0
}
)");
  PassLog log;
  EXPECT_TRUE(WholeAliases(module, log));
  EXPECT_EQ(module.Find(module.attrs, AttrKey::k_input_output_alias), nullptr);
}

}  // namespace
}  // namespace halo
