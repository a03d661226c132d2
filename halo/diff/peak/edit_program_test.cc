// Insertions and orders, compared as lists of "name(operands)" in the order of execution.
#include "halo/diff/peak/edit_program.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "halo/text/read/read_text.h"

namespace halo {
namespace {

EditedProgram Read(const std::string& body) {
  TextReadResult read = ReadHloText("HloModule m, is_scheduled=true\nENTRY e {\n" + body + "}\n");
  EXPECT_TRUE(read.diagnostics.ok());
  return {std::move(read.module), {}};
}

InstId Named(const Module& module, std::string_view name) {
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    if (module.name_of(module.insts[i]) == name) return InstId(i);
  }
  ADD_FAILURE() << name;
  return InstId(0u);
}

// An inserted instruction keeps the name of the one it is inserted before, so opcodes are listed.
std::string Listed(const Module& module) {
  std::string out;
  for (const Inst& inst : module.insts) {
    out += std::string(module.opcode_text(inst)) + "(";
    for (const InstId operand : module.operands_of(inst)) {
      out += std::to_string(operand.value) + " ";
    }
    if (out.back() == ' ') out.pop_back();
    out += ") ";
  }
  return out;
}

const char* const kChain =
    "  a = f32[8]{0} parameter(0)\n"
    "  b = f32[8]{0} exponential(a)\n"
    "  c = f32[8]{0} multiply(b, a)\n"
    "  ROOT d = f32[8]{0} add(c, b)\n";

TEST(EditProgram, InsertedInstructionsAreReadInsteadOfOthers) {
  EditedProgram program = Read(kChain);
  const InstId b = Named(program.module, "b");
  const InstId d = Named(program.module, "d");
  InsertAll({{.before = d,
              .opcode = Opcode::kCopy,
              .shape = program.module.inst(b).shape,
              .operands = {b},
              .uses = {{d, {1}}}}},
            program);
  EXPECT_EQ(Listed(program.module), "parameter() exponential(0) multiply(1 0) copy(1) add(2 3) ");
  EXPECT_EQ(program.module.comp(program.module.entry).root, InstId(4u));
}

TEST(EditProgram, InsertedInstructionsMayBeOneMoreOperand) {
  EditedProgram program = Read(kChain);
  const InstId a = Named(program.module, "a");
  const InstId c = Named(program.module, "c");
  InsertAll(
      {{.before = c, .shape = program.module.inst(a).shape, .operands = {a}, .uses = {{c, {}}}}},
      program);
  EXPECT_EQ(Listed(program.module),
            "parameter() exponential(0) custom-call(0) multiply(1 0 2) add(3 1) ");
}

// Positions are those before all insertions, in whichever order these are given.
TEST(EditProgram, SeveralInsertions) {
  for (const bool is_reversed : {false, true}) {
    EditedProgram program = Read(kChain);
    const Module& module = program.module;
    const InstId b = Named(module, "b");
    const InstId c = Named(module, "c");
    const InstId d = Named(module, "d");
    program.assign.resized = {{b, 0, 1}, {c, 0, 2}, {d, 0, 3}};
    std::vector<Insertion> insertions = {{.before = c,
                                          .opcode = Opcode::kCopy,
                                          .shape = module.inst(b).shape,
                                          .operands = {b},
                                          .uses = {{c, {0}}, {d, {1}}}},
                                         {.before = d,
                                          .opcode = Opcode::kNegate,
                                          .shape = module.inst(c).shape,
                                          .operands = {c},
                                          .uses = {{d, {0}}}}};
    if (is_reversed) std::swap(insertions[0], insertions[1]);
    InsertAll(insertions, program);
    EXPECT_EQ(Listed(program.module),
              "parameter() exponential(0) copy(1) multiply(2 0) negate(3) add(4 2) ");
    // What was assumed about instructions follows them.
    ASSERT_EQ(program.assign.resized.size(), 3u);
    EXPECT_EQ(program.assign.resized[0].inst, InstId(1u));
    EXPECT_EQ(program.assign.resized[1].inst, InstId(3u));
    EXPECT_EQ(program.assign.resized[2].inst, InstId(5u));
  }
}

const char* const kBranches =
    "  a = f32[8]{0} parameter(0)\n"
    "  b = f32[8]{0} exponential(a)\n"
    "  c = f32[8]{0} tanh(a)\n"
    "  d = f32[8]{0} negate(c)\n"
    "  ROOT e = f32[8]{0} add(b, d)\n";

TEST(EditProgram, ReordersByPriority) {
  EditedProgram program = Read(kBranches);
  program.assign.resized = {{Named(program.module, "b"), 0, 1}};
  const std::vector<int64_t> priorities = {0, 9, 1, 2, 3};
  ReorderEntry(priorities, program);
  EXPECT_EQ(Listed(program.module), "parameter() tanh(0) negate(1) exponential(0) add(3 2) ");
  EXPECT_EQ(program.assign.resized[0].inst, InstId(3u));
}

TEST(EditProgram, OperandsAlwaysComeFirst) {
  EditedProgram program = Read(kBranches);
  const std::string before = Listed(program.module);
  const std::vector<int64_t> priorities = {9, 2, 3, 4, 0};
  ReorderEntry(priorities, program);
  EXPECT_EQ(Listed(program.module), before);
}

TEST(EditProgram, ControlDependenciesAreKept) {
  EditedProgram program = Read(
      "  a = f32[8]{0} parameter(0)\n"
      "  b = f32[8]{0} exponential(a)\n"
      "  c = f32[8]{0} tanh(a), control-predecessors={b}\n"
      "  d = f32[8]{0} negate(c)\n"
      "  ROOT e = f32[8]{0} add(b, d)\n");
  const std::vector<int64_t> priorities = {0, 9, 1, 2, 3};
  ReorderEntry(priorities, program);
  EXPECT_EQ(Listed(program.module), "parameter() exponential(0) tanh(0) negate(2) add(1 3) ");
}

}  // namespace
}  // namespace halo
