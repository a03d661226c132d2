// Values that only the second of two small programs stores, as insertions into the first.
#include "halo/diff/peak/insert_values.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "halo/memory/assign/assign.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

struct Planned {
  explicit Planned(const std::string& text) {
    TextReadResult read = ReadHloText("HloModule m, is_scheduled=true\n" + text);
    EXPECT_TRUE(read.diagnostics.ok());
    module = std::move(read.module);
    Result<PlannedMemory> plan = PlanMemory(module, {});
    EXPECT_TRUE(plan.ok());
    memory = *std::move(plan);
    bound = std::make_unique<BoundAssignment>(memory.assignment, &module, memory.ids);
  }

  [[nodiscard]] InstId Named(std::string_view name) const {
    for (uint32_t i = 0; i < module.insts.size(); ++i) {
      if (module.name_of(module.insts[i]) == name) return InstId(i);
    }
    ADD_FAILURE() << name;
    return InstId(0u);
  }

  [[nodiscard]] ValueId ValueOf(std::string_view name) const {
    const InstId inst = Named(name);
    for (uint32_t i = 0; i < memory.assignment.values.size(); ++i) {
      if (bound->value(ValueId(i)).inst == inst) return ValueId(i);
    }
    ADD_FAILURE() << name;
    return ValueId(0u);
  }

  Module module;
  PlannedMemory memory;
  std::unique_ptr<BoundAssignment> bound;
};

struct Pair {
  Pair(const std::string& a, const std::string& b)
      : before(a),
        after(b),
        programs(before.module, after.module),
        stored_a(programs, ProgramSide::kBefore, *before.bound),
        stored_b(programs, ProgramSide::kAfter, *after.bound),
        inserter(programs, stored_a, stored_b) {}

  Planned before, after;
  MatchedPrograms programs;
  StoredValues stored_a, stored_b;
  ValueInserter inserter;
};

const char* const kFused =
    "f {\n"
    "  p = f32[64]{0} parameter(0)\n"
    "  q = f32[64]{0} parameter(1)\n"
    "  s = f32[64]{0} sine(q)\n"
    "  ROOT t = f32[64]{0} multiply(p, s)\n"
    "}\n"
    "ENTRY e {\n"
    "  a = f32[64]{0} parameter(0)\n"
    "  b = f32[64]{0} negate(a)\n"
    "  x = f32[64]{0} exponential(a)\n"
    "  z = f32[64]{0} reverse(x), dimensions={0}\n"
    "  ROOT r = f32[64]{0} fusion(z, b), kind=kLoop, calls=f\n"
    "}\n";

// The sine is computed before the exponential there, and so it is here.
TEST(InsertValues, AValueThatWasInsideAKernel) {
  Pair pair(kFused,
            "ENTRY e {\n"
            "  a = f32[64]{0} parameter(0)\n"
            "  b = f32[64]{0} negate(a)\n"
            "  s = f32[64]{0} sine(b)\n"
            "  x = f32[64]{0} exponential(a)\n"
            "  z = f32[64]{0} reverse(x), dimensions={0}\n"
            "  ROOT r = f32[64]{0} multiply(z, s)\n"
            "}\n");
  const std::optional<Insertion> made = pair.inserter.StoredFrom(pair.after.ValueOf("s"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->opcode, Opcode::kSin);
  EXPECT_EQ(made->before, pair.before.Named("x"));
  EXPECT_EQ(made->operands, std::vector<InstId>{pair.before.Named("b")});
  ASSERT_EQ(made->uses.size(), 1u);
  EXPECT_EQ(made->uses[0].reader, pair.before.Named("r"));
  // The kernel no longer reads what only the sine needed.
  EXPECT_EQ(made->uses[0].slots, std::vector<uint32_t>{1});
}

TEST(InsertValues, ACopy) {
  const std::string start =
      "ENTRY e {\n"
      "  a = f32[64]{0} parameter(0)\n"
      "  x = f32[64]{0} exponential(a)\n"
      "  y = f32[64]{0} tanh(x)\n";
  Pair pair(start + "  ROOT r = f32[64]{0} multiply(y, x)\n}\n",
            start + "  k = f32[64]{0} copy(x)\n  ROOT r = f32[64]{0} multiply(y, k)\n}\n");
  const std::optional<Insertion> made = pair.inserter.CopyOf(pair.after.ValueOf("k"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->opcode, Opcode::kCopy);
  EXPECT_EQ(made->before, pair.before.Named("r"));
  EXPECT_EQ(made->operands, std::vector<InstId>{pair.before.Named("x")});
  ASSERT_EQ(made->uses.size(), 1u);
  EXPECT_EQ(made->uses[0].reader, pair.before.Named("r"));
  EXPECT_EQ(made->uses[0].slots, std::vector<uint32_t>{1});
}

TEST(InsertValues, NothingForValuesThatTheFirstProgramDoesNotHave) {
  Pair pair(kFused,
            "ENTRY e {\n"
            "  a = f32[64]{0} parameter(0)\n"
            "  n = f32[64]{0} cbrt(a)\n"
            "  x = f32[64]{0} exponential(n)\n"
            "  ROOT z = f32[64]{0} reverse(x), dimensions={0}\n"
            "}\n");
  EXPECT_FALSE(pair.inserter.StoredFrom(pair.after.ValueOf("n")));
  EXPECT_FALSE(pair.inserter.CopyOf(pair.after.ValueOf("n")));
}

TEST(InsertValues, OnlyInstructionsOutsideOfKernelsStoreValues) {
  const Pair pair(kFused, kFused);
  EXPECT_EQ(pair.inserter.KeyOfInst(pair.before.Named("s")), kNoKey);
  EXPECT_NE(pair.inserter.KeyOfInst(pair.before.Named("r")), kNoKey);
  EXPECT_NE(pair.inserter.KeyOfInst(pair.before.Named("x")),
            pair.inserter.KeyOfInst(pair.before.Named("z")));
}

}  // namespace
}  // namespace halo
