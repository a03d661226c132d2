// Values, buffers and live ranges of small modules, as XLA computes them.
#include "halo/analysis/dataflow/dataflow.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/analysis/liveness/buffers.h"
#include "halo/analysis/liveness/live_ranges.h"
#include "halo/analysis/sharing/in_place.h"
#include "halo/ir/module.h"

namespace halo {
namespace {

// Modules are built by hand, because reading text is a separate layer.
class ModuleMaker {
 public:
  Module module;

  CompId Comp(std::string_view name, bool is_entry = false) {
    Computation comp;
    comp.name = module.Str(name);
    comp.first = static_cast<uint32_t>(module.insts.size());
    comp.is_entry = is_entry;
    comp.defined = true;
    module.comps.push_back(comp);
    const CompId id(module.comps.size() - 1);
    module.order.push_back(id);
    if (is_entry) module.entry = id;
    return id;
  }

  InstId Add(Opcode opcode, ShapeId shape, std::initializer_list<InstId> operands,
             std::initializer_list<Attr> attrs = {}, uint32_t extra = 0) {
    Inst inst;
    inst.name = module.AddName("i" + std::to_string(module.insts.size()));
    inst.shape = shape;
    inst.operands_begin = static_cast<uint32_t>(module.operands.size());
    inst.operand_count = static_cast<uint32_t>(operands.size());
    for (const InstId operand : operands) module.operands.push_back(operand);
    inst.attrs = module.Attrs(std::vector<Attr>(attrs));
    inst.extra = extra;
    inst.opcode = opcode;
    inst.parent = CompId(module.comps.size() - 1);
    module.insts.push_back(inst);
    const InstId id(module.insts.size() - 1);
    Computation& comp = module.comps.back();
    ++comp.count;
    comp.root = id;
    return id;
  }

  ShapeId Vector() {
    const int64_t dims[] = {4};
    return module.shapes.Array(ElementType::kF32, dims);
  }
  ShapeId Pair() {
    const ShapeId elements[] = {Vector(), Vector()};
    return module.shapes.Tuple(elements);
  }
};

TEST(DataflowTest, TuplesAndTheirElementsPassValuesOn) {
  ModuleMaker m;
  m.Comp("entry", true);
  const InstId a = m.Add(Opcode::kParameter, m.Vector(), {}, {}, 0);
  const InstId b = m.Add(Opcode::kNegate, m.Vector(), {a});
  const InstId both = m.Add(Opcode::kTuple, m.Pair(), {a, b});
  const InstId second =
      m.Add(Opcode::kGetTupleElement, m.Vector(), {both}, {m.module.MakeInt(AttrKey::k_index, 1)});
  m.Add(Opcode::kNegate, m.Vector(), {second});
  const Dataflow flow(m.module);
  ASSERT_EQ(flow.problem(), "");
  EXPECT_EQ(flow.at(second), flow.at(b));
  EXPECT_EQ(flow.at(both, 1), flow.at(a));
  EXPECT_EQ(flow.at(both, 2), flow.at(b));
  EXPECT_EQ(flow.positions(flow.at(b)).size(), 3u);
  EXPECT_EQ(flow.size(), 4u);  // a, b, the table, the last
}

TEST(DataflowTest, WhatALoopCarriesIsOneBuffer) {
  ModuleMaker m;
  m.Comp("body");
  const InstId carried = m.Add(Opcode::kParameter, m.Vector(), {}, {}, 0);
  m.Add(Opcode::kNegate, m.Vector(), {carried});
  m.Comp("condition");
  const InstId seen = m.Add(Opcode::kParameter, m.Vector(), {}, {}, 0);
  m.Add(Opcode::kCompare, m.module.shapes.Array(ElementType::kPred, {}), {seen, seen});
  m.Comp("entry", true);
  const InstId start = m.Add(Opcode::kParameter, m.Vector(), {}, {}, 0);
  const InstId first = m.Add(Opcode::kNegate, m.Vector(), {start});
  const InstId loop = m.Add(Opcode::kWhile, m.Vector(), {first},
                            {Attr{AttrKey::k_condition, AttrForm::kPlain, 0, 1},
                             Attr{AttrKey::k_body, AttrForm::kPlain, 0, 0}});
  const Dataflow flow(m.module);
  ASSERT_EQ(flow.problem(), "");
  EXPECT_TRUE(flow.value(flow.at(loop)).is_phi);
  EXPECT_TRUE(flow.value(flow.at(carried)).is_phi);
  const InPlacePairs in_place(flow, SharingRules());
  const Buffers buffers(flow, in_place, {});
  EXPECT_EQ(buffers.of(flow.at(first)), buffers.of(flow.at(loop)));
  EXPECT_EQ(buffers.of(flow.at(carried)), buffers.of(flow.at(loop)));
  EXPECT_NE(buffers.of(flow.at(start)), buffers.of(flow.at(loop)));
  const LiveRanges ranges(flow, buffers);
  // The sequence is: start, first, then the condition, the body, and the loop itself.
  EXPECT_EQ(ranges.end(), 7);
  EXPECT_EQ(ranges.of(flow.at(start)), (TimeSpan{0, 7}));
  EXPECT_EQ(ranges.of(flow.at(first)).end, 2);  // trimmed where the condition's parameter begins
}

TEST(DataflowTest, AComputationThatCallsItselfIsRefused) {
  ModuleMaker m;
  m.Comp("entry", true);
  const InstId a = m.Add(Opcode::kParameter, m.Vector(), {}, {}, 0);
  m.Add(Opcode::kCall, m.Vector(), {a}, {Attr{AttrKey::k_to_apply, AttrForm::kPlain, 0, 0}});
  EXPECT_NE(Dataflow(m.module).problem(), "");
}

TEST(InPlaceTest, AnUpdateWritesOverItsFirstOperand) {
  ModuleMaker m;
  m.Comp("entry", true);
  const InstId a = m.Add(Opcode::kParameter, m.Vector(), {}, {}, 0);
  const InstId update = m.Add(Opcode::kDynamicUpdateSlice, m.Vector(), {a, a});
  const Dataflow flow(m.module);
  const InPlacePairs in_place(flow, SharingRules());
  ASSERT_EQ(in_place.of(update).size(), 1u);
  EXPECT_EQ(in_place.of(update)[0].operand, 0u);
  const Buffers buffers(flow, in_place, {});
  EXPECT_EQ(buffers.of(flow.at(a)), buffers.of(flow.at(update)));
}

}  // namespace
}  // namespace halo
