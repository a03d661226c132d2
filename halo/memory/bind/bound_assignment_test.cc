// The ids that come with a plan are those that binding its names again would find.
#include "halo/memory/bind/bound_assignment.h"

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

Module Read() {
  TextReadResult read = ReadHloText(
      SourceBuffer::Copy("HloModule m, is_scheduled=true\nENTRY e {\n"
                         "p = f32[4]{0} parameter(0)\n"
                         "n = f32[4]{0} negate(p)\n"
                         "ROOT t = (f32[4]{0}, (f32[4]{0}, f32[4]{0})) custom-call(p, n), "
                         "custom_call_target=\"f\"\n}\n",
                         "m"));
  EXPECT_TRUE(read.diagnostics.ok());
  return std::move(read.module);
}

Assignment Printed() {
  Assignment assignment;
  const auto add = [&](std::string_view name, const std::vector<int64_t>& index) {
    AssignedValue value;
    value.instruction = assignment.Text(name);
    value.index = assignment.Index(index);
    value.first_use = static_cast<uint32_t>(assignment.uses.size());
    assignment.values.push_back(value);
  };
  add("p", {});
  assignment.uses.push_back({assignment.Text("n"), 0, {}});
  assignment.uses.push_back({assignment.Text("elsewhere"), 0, {}});
  assignment.values[0].use_count = 2;
  add("t", {1, 1});
  add("t", {7});
  add("elsewhere", {});
  for (const std::string_view name : {"p", "n", "t"}) {
    assignment.sequence.push_back(assignment.Text(name));
  }
  return assignment;
}

TEST(BoundAssignment, ByName) {
  const Module module = Read();
  const Assignment assignment = Printed();
  const BoundAssignment bound(assignment, &module);
  EXPECT_EQ(bound.value(ValueId(0U)).inst, InstId(0U));
  EXPECT_EQ(bound.value(ValueId(0U)).node, 0U);
  // Nodes in pre-order: the tuple, its array, the inner tuple, the arrays of that.
  EXPECT_EQ(bound.value(ValueId(1U)).inst, InstId(2U));
  EXPECT_EQ(bound.value(ValueId(1U)).node, 4U);
  EXPECT_TRUE(module.shapes.is_array(bound.value(ValueId(1U)).shape));
  const std::span<const ValueUse> uses = assignment.uses_of(assignment.values[0]);
  EXPECT_EQ(bound.user(uses[0]), InstId(1U));
  EXPECT_EQ(bound.at(2), InstId(2U));
  EXPECT_EQ(bound.time(InstId(1U)), 1);
  EXPECT_EQ(bound.time(uses[0].instruction), 1);
}

TEST(BoundAssignment, WhatTheModuleDoesNotHaveIsUnbound) {
  const Module module = Read();
  const Assignment assignment = Printed();
  const BoundAssignment bound(assignment, &module);
  EXPECT_TRUE(bound.value(ValueId(2U)).inst.valid());
  EXPECT_FALSE(bound.value(ValueId(2U)).shape.valid());
  EXPECT_FALSE(bound.value(ValueId(3U)).inst.valid());
  EXPECT_FALSE(bound.user(assignment.uses[1]).valid());
  EXPECT_EQ(bound.time(assignment.uses[1].instruction), -1);
  EXPECT_EQ(bound.time(InstId()), -1);
  EXPECT_FALSE(bound.at(3).valid());
}

TEST(BoundAssignment, WithoutAModuleTimesAreKnown) {
  const Assignment assignment = Printed();
  const BoundAssignment bound(assignment, nullptr);
  EXPECT_FALSE(bound.value(ValueId(0U)).inst.valid());
  EXPECT_FALSE(bound.user(assignment.uses[0]).valid());
  EXPECT_EQ(bound.time(assignment.uses[0].instruction), 1);
  EXPECT_EQ(bound.time(InstId(1U)), -1);
}

}  // namespace
}  // namespace halo
