// The parameters of computations, of which one has none.
#include "halo/analysis/graph/parameter_index.h"

#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

// A computation of these ops, which nothing else is known about.
void AddComputation(Module& module, std::initializer_list<Opcode> opcodes) {
  Computation comp;
  comp.first = static_cast<uint32_t>(module.insts.size());
  comp.count = static_cast<uint32_t>(opcodes.size());
  for (const Opcode opcode : opcodes) {
    Inst inst;
    inst.opcode = opcode;
    inst.parent = CompId(module.comps.size());
    module.insts.push_back(inst);
  }
  module.comps.push_back(comp);
}

std::vector<InstId> Listed(const ParameterIndex& index, size_t comp) {
  const auto found = index.of(CompId(comp));
  return {found.begin(), found.end()};
}

TEST(ParameterIndex, ListsEachComputationsParametersInTheOrderOfTheText) {
  Module module;
  AddComputation(module, {Opcode::kParameter, Opcode::kNegate, Opcode::kParameter, Opcode::kAdd});
  AddComputation(module, {Opcode::kConstant});
  AddComputation(module, {Opcode::kConstant, Opcode::kParameter});
  const ParameterIndex index(module);
  EXPECT_EQ(Listed(index, 0), (std::vector<InstId>{InstId(0U), InstId(2U)}));
  EXPECT_TRUE(Listed(index, 1).empty());
  EXPECT_EQ(Listed(index, 2), std::vector<InstId>{InstId(6U)});
}

}  // namespace
}  // namespace halo
