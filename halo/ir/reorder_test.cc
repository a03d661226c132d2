// The tests check the resulting order by the names of the operands.
#include "halo/ir/reorder.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

// Computation "e": a = parameter, b = negate(a), c = negate(a), d = add(b, c); root d. "f" follows
// it with x = parameter, y = negate(x); root y.
Module MakeModule() {
  Module module;
  const ShapeId shape = module.shapes.Array(ElementType::kF32, {});
  const auto add = [&](CompId comp, const char* name, Opcode opcode,
                       const std::vector<InstId>& operands) {
    Inst inst;
    inst.name = module.AddName(name);
    inst.shape = shape;
    inst.opcode = opcode;
    inst.parent = comp;
    inst.attrs = module.Attrs({});
    inst.operands_begin = static_cast<uint32_t>(module.operands.size());
    inst.operand_count = static_cast<uint32_t>(operands.size());
    for (const InstId operand : operands) module.operands.push_back(operand);
    module.insts.push_back(inst);
    return InstId(module.insts.size() - 1);
  };
  module.comps.resize(2);
  const CompId e(size_t{0}), f(size_t{1});
  const InstId a = add(e, "a", Opcode::kParameter, {});
  const InstId b = add(e, "b", Opcode::kNegate, {a});
  const InstId c = add(e, "c", Opcode::kNegate, {a});
  const InstId d = add(e, "d", Opcode::kAdd, {b, c});
  const InstId x = add(f, "x", Opcode::kParameter, {});
  const InstId y = add(f, "y", Opcode::kNegate, {x});
  module.comps[0].count = 4;
  module.comps[0].root = d;
  module.comps[1].first = 4;
  module.comps[1].count = 2;
  module.comps[1].root = y;
  module.order = {e, f};
  return module;
}

std::string Text(const Module& module) {
  std::string text;
  for (const Computation& comp : module.comps) {
    for (uint32_t i = 0; i < comp.count; ++i) {
      const InstId id(comp.first + i);
      text += comp.root == id ? "*" : "";
      text += module.name_of(module.inst(id));
      text += '(';
      for (const InstId operand : module.operands_of(module.inst(id))) {
        text += module.name_of(module.inst(operand));
      }
      text += ")";
    }
    text += ';';
  }
  return text;
}

TEST(Reorder, Move) {
  Module module = MakeModule();
  EXPECT_EQ(Text(module), "a()b(a)c(a)*d(bc);x()*y(x);");
  const InstPosition move{InstId(2U), InstId(1U)};
  MoveInstructions(module, {&move, 1});
  EXPECT_EQ(Text(module), "a()c(a)b(a)*d(bc);x()*y(x);");
}

TEST(Reorder, Repeat) {
  Module module = MakeModule();
  RepeatInstruction(module, {InstId(1U), InstId(3U)});
  EXPECT_EQ(Text(module), "a()b(a)c(a)b.again(a)*d(b.againc);x()*y(x);");
}

}  // namespace
}  // namespace halo
