// Tests parameters in any order, with one missing, and with an impossible number.
#include "halo/semantics/facts/parameters.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

Module WithParameters(std::initializer_list<uint32_t> numbers) {
  Module module;
  module.comps.emplace_back().count = static_cast<uint32_t>(numbers.size());
  for (const uint32_t number : numbers) {
    Inst inst;
    inst.opcode = Opcode::kParameter;
    inst.extra = number;
    module.insts.push_back(inst);
  }
  return module;
}

TEST(ParametersOf, AreSortedByNumber) {
  const Module module = WithParameters({2, 0, 1});
  EXPECT_EQ(ParametersOf(module, CompId(0u)),
            (std::vector<InstId>{InstId(1u), InstId(2u), InstId(0u)}));
}

TEST(ParametersOf, AMissingOneIsNoInstruction) {
  const Module module = WithParameters({0, 2, 0xFFFFFFFF});
  const std::vector<InstId> found = ParametersOf(module, CompId(0u));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_FALSE(found[1].valid());
  EXPECT_EQ(found[2], InstId(1u));
}

TEST(ParametersOf, NoComputationHasNone) { EXPECT_TRUE(ParametersOf(Module(), CompId()).empty()); }

}  // namespace
}  // namespace halo
