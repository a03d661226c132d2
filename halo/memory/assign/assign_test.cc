// Plans of the example modules against the assignments that XLA dumped beside them, and one
// assignment computed again from what it prints.
#include "halo/memory/assign/assign.h"

#include <map>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "halo/memory/backend/detect_backend.h"
#include "halo/memory/text/read_assignment.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

Result<SourceBuffer> Example(const std::string& name) {
  return SourceBuffer::Open(std::string(HALO_SOURCE_DIR) + "/examples/" + name);
}

// Maps each value's name to where it is placed.
std::map<std::string, std::string> PositionsOf(const Assignment& assignment) {
  std::map<std::string, std::string> positions;
  for (const AssignedValue& value : assignment.values) {
    if (!value.allocation.valid()) continue;
    positions[std::string(assignment.text(value.instruction)) +
              IndexText(assignment.index(value.index))] = std::to_string(value.allocation.value) +
                                                          "@" + std::to_string(value.offset) + "+" +
                                                          std::to_string(value.size);
  }
  return positions;
}

struct Case {
  const char* stem;
  Backend backend;
};

// Names the test: the example's folder.
void PrintTo(const Case& example, std::ostream* out) {
  const std::string_view stem = example.stem;
  *out << stem.substr(0, stem.find('/'));
}

class AssignExamples : public testing::TestWithParam<Case> {};

TEST_P(AssignExamples, IsXlasOwn) {
  const Result<SourceBuffer> module = Example(std::string(GetParam().stem) + ".txt");
  const Result<SourceBuffer> text =
      Example(std::string(GetParam().stem) + "-buffer-assignment.txt");
  ASSERT_TRUE(module.ok() && text.ok());
  const TextReadResult read = ReadHloText(*module);
  const AssignmentReadResult printed = ReadAssignment(text->bytes());
  ASSERT_TRUE(read.diagnostics.ok() && printed.ok());
  const BoundAssignment given(printed.assignment, &read.module);
  AssignOptions options;
  options.rules = DetectRules(read.module, GetParam().backend);
  RefineRules(printed.assignment, options.rules);
  options.presets = PresetsOf(given, GetParam().backend);
  options.numbered = NumberedComputations(given);
  EXPECT_EQ(options.presets.empty(), GetParam().backend != Backend::kTpu);
  EXPECT_EQ(options.rules.assigns_by_time, GetParam().backend == Backend::kTpu);
  EXPECT_EQ(DetectBackend(read.module, GetParam().stem).backend, GetParam().backend);
  const Result<PlannedMemory> planned = PlanMemory(read.module, options);
  ASSERT_TRUE(planned.ok());
  EXPECT_EQ(planned->assignment.allocations.size(), printed.assignment.allocations.size());
  EXPECT_EQ(PositionsOf(planned->assignment), PositionsOf(printed.assignment));
  // The ids of a plan must be those that its names resolve to.
  const AssignmentIds by_name = BindByName(planned->assignment, read.module);
  ASSERT_EQ(by_name.values.size(), planned->ids.values.size());
  for (size_t i = 0; i < by_name.values.size(); ++i) {
    EXPECT_EQ(by_name.values[i].inst, planned->ids.values[i].inst);
    EXPECT_EQ(by_name.values[i].node, planned->ids.values[i].node);
    EXPECT_EQ(by_name.values[i].shape, planned->ids.values[i].shape);
  }
  EXPECT_EQ(by_name.users, planned->ids.users);
  EXPECT_EQ(by_name.sequence, planned->ids.sequence);
}

TEST_P(AssignExamples, DoesNotDependOnNames) {
  const Result<SourceBuffer> module = Example(std::string(GetParam().stem) + ".txt");
  ASSERT_TRUE(module.ok());
  TextReadResult read = ReadHloText(*module);
  AssignOptions options;
  options.rules = DetectRules(read.module, GetParam().backend);
  const Result<Assignment> planned = AssignBuffers(read.module, options);
  ASSERT_TRUE(planned.ok());
  for (size_t i = 0; i < read.module.insts.size(); ++i) {
    read.module.insts[i].name = read.module.AddName("v" + std::to_string(i));
  }
  const Result<Assignment> renamed = AssignBuffers(read.module, options);
  ASSERT_TRUE(renamed.ok());
  ASSERT_EQ(renamed->values.size(), planned->values.size());
  EXPECT_EQ(renamed->total_bytes, planned->total_bytes);
  for (size_t i = 0; i < planned->values.size(); ++i) {
    EXPECT_EQ(renamed->values[i].allocation, planned->values[i].allocation);
    EXPECT_EQ(renamed->values[i].offset, planned->values[i].offset);
    EXPECT_EQ(renamed->values[i].size, planned->values[i].size);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Examples, AssignExamples,
    testing::Values(Case{"cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations",
                         Backend::kCpu},
                    Case{"h100x4_fsdp_mlp_train/"
                         "module_0001.jit_fsdp_mlp_train.sm_9.0a_gpu_after_optimizations",
                         Backend::kGpu},
                    Case{"v5e_2x2_fsdp_mlp_train/"
                         "module_0000.jit_fsdp_mlp_train.cl_1003875606.after_optimizations",
                         Backend::kTpu}));

// Two reductions, each with a computation that threads run for themselves. The first one's unused
// parameters are listed in the order of a schedule.
constexpr std::string_view kReductions = R"(HloModule m, is_scheduled=true

last (a: f32[], b: f32[]) -> f32[] {
  ROOT b = f32[] parameter(1)
  a = f32[] parameter(0)
}

add (c: f32[], d: f32[]) -> f32[] {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT e = f32[] add(c, d)
}

ENTRY main {
  p = f32[8]{0} parameter(0)
  zero = f32[] constant(0)
  x = f32[] reduce(p, zero), dimensions={0}, to_apply=last
  y = f32[] reduce(p, zero), dimensions={0}, to_apply=add
  ROOT r = (f32[], f32[]) tuple(x, y)
}
)";

// The names of the thread-local values, by allocation.
std::string ThreadLocals(const Assignment& assignment) {
  std::string names;
  for (const Allocation& allocation : assignment.allocations) {
    if (!allocation.is_thread_local) continue;
    for (const ValueId id : assignment.values_of(allocation)) {
      names += assignment.text(assignment.value(id).instruction);
    }
  }
  return names;
}

TEST(AssignTest, NumbersThreadLocalValuesByGeneration) {
  const SourceBuffer source = SourceBuffer::Copy(kReductions, "m");
  const TextReadResult read = ReadHloText(source);
  ASSERT_TRUE(read.diagnostics.ok());
  AssignOptions options;
  options.rules = DetectRules(read.module, Backend::kCpu);
  ASSERT_FALSE(options.rules.numbers_thread_locals_by_id);
  // The last computation first; unused parameters by number.
  EXPECT_EQ(ThreadLocals(*AssignBuffers(read.module, options)), "cdeab");
  Assignment with_pages;
  with_pages.allocations.emplace_back().page = 0;
  RefineRules(with_pages, options.rules);
  ASSERT_TRUE(options.rules.numbers_thread_locals_by_id);
  EXPECT_EQ(ThreadLocals(*AssignBuffers(read.module, options)), "abcde");
  // The order of computations that another assignment shows.
  Assignment shown;
  for (const std::string_view name : {"d", "a"}) {
    AssignedValue& value = shown.values.emplace_back();
    value.id = static_cast<int64_t>(shown.values.size());
    value.instruction = shown.Text(name);
    value.index = shown.Index({});
  }
  options.numbered = NumberedComputations(BoundAssignment(shown, &read.module));
  ASSERT_EQ(options.numbered.size(), 2U);
  EXPECT_EQ(ThreadLocals(*AssignBuffers(read.module, options)), "cdeab");
}

// The values of one call become the state of two loops. They are alike but for their buffers'
// numbers, which are those of the loops' bodies.
constexpr std::string_view kLoops = R"(HloModule m, is_scheduled=true

body1 {
  s1 = (f32[8]{0}) parameter(0)
  a1 = f32[8]{0} get-tuple-element(s1), index=0
  n1 = f32[8]{0} negate(a1)
  ROOT t1 = (f32[8]{0}) tuple(n1)
}

condition1 {
  c1 = (f32[8]{0}) parameter(0)
  ROOT k1 = pred[] constant(false)
}

body2 {
  s2 = (f32[8]{0}) parameter(0)
  a2 = f32[8]{0} get-tuple-element(s2), index=0
  n2 = f32[8]{0} negate(a2)
  ROOT t2 = (f32[8]{0}) tuple(n2)
}

condition2 {
  c2 = (f32[8]{0}) parameter(0)
  ROOT k2 = pred[] constant(false)
}

ENTRY main {
  both = (f32[8]{0}, f32[8]{0}) custom-call(), custom_call_target="x"
  x = f32[8]{0} get-tuple-element(both), index=0
  y = f32[8]{0} get-tuple-element(both), index=1
  i = (f32[8]{0}) tuple(x)
  j = (f32[8]{0}) tuple(y)
  w = (f32[8]{0}) while(i), condition=condition1, body=body1
  v = (f32[8]{0}) while(j), condition=condition2, body=body2
  wx = f32[8]{0} get-tuple-element(w), index=0
  vy = f32[8]{0} get-tuple-element(v), index=0
  ROOT r = (f32[8]{0}, f32[8]{0}) tuple(wx, vy)
}
)";

TEST(AssignTest, AssignsEqualBuffersInTheOrderThatAnAssignmentShows) {
  const TextReadResult read = ReadHloText(kLoops);
  ASSERT_TRUE(read.diagnostics.ok());
  AssignOptions options;
  options.rules = RulesOf(Backend::kGpu);
  const auto is_first_before_second = [&] {
    auto positions = PositionsOf(*AssignBuffers(read.module, options));
    EXPECT_EQ(positions["both{0}"], positions["n1{}"]);
    EXPECT_EQ(positions["both{1}"], positions["n2{}"]);
    EXPECT_NE(positions["n1{}"], positions["n2{}"]);
    return positions["n1{}"] < positions["n2{}"];
  };
  EXPECT_TRUE(is_first_before_second());
  Assignment shown;
  for (const std::string_view name : {"n2", "n1"}) {
    AssignedValue& value = shown.values.emplace_back();
    value.id = static_cast<int64_t>(shown.values.size());
    value.instruction = shown.Text(name);
    value.index = shown.Index({});
  }
  options.numbered = NumberedComputations(BoundAssignment(shown, &read.module));
  EXPECT_FALSE(is_first_before_second());
}

TEST(AssignTest, OneReadOfAValueMayAllowToOverwriteIt) {
  const TextReadResult read = ReadHloText(R"(HloModule m, is_scheduled=true

body {
  a = f32[64]{0} parameter(0)
  b = f32[64]{0} parameter(1)
  c = f32[64]{0} reverse(b), dimensions={0}
  ROOT d = f32[64]{0} add(a, c)
}

ENTRY main {
  p = f32[64]{0} parameter(0)
  e = f32[64]{0} exponential(p)
  again = f32[64]{0} bitcast(e)
  f = f32[64]{0} fusion(e, again), kind=kLoop, calls=body
  ROOT o = f32[4]{0} slice(f), slice={[0:4]}
}
)");
  ASSERT_TRUE(read.diagnostics.ok());
  AssignOptions options;
  options.rules = RulesOf(Backend::kGpu);
  const auto as_xla = PositionsOf(*AssignBuffers(read.module, options));
  EXPECT_EQ(as_xla.at("e{}"), as_xla.at("f{}"));
  options.protects_every_read = true;
  const auto to_execute = PositionsOf(*AssignBuffers(read.module, options));
  EXPECT_NE(to_execute.at("e{}"), to_execute.at("f{}"));
}

TEST(AssignTest, CompactTupleElementsShowTheGeneration) {
  const SourceBuffer source = SourceBuffer::Copy(R"(HloModule m, is_scheduled=true

ENTRY main {
  p = (f32[8]{0}, f32[8]{0}) parameter(0)
  ROOT r = f32[8]{0} add(p#0, p#1)
}
)",
                                                 "m");
  const TextReadResult read = ReadHloText(source);
  ASSERT_TRUE(read.diagnostics.ok());
  for (const Backend backend : {Backend::kCpu, Backend::kGpu, Backend::kTpu}) {
    EXPECT_TRUE(DetectRules(read.module, backend).numbers_thread_locals_by_id);
  }
}

TEST(ReassignTest, PlacesPrintedValuesAsTheyWere) {
  // The first temporary is dead when the result is written, so it shares the result's memory; the
  // second is not.
  constexpr std::string_view kText = R"(BufferAssignment:
allocation 0: size 512, output shape is |f32[128]|, maybe-live-out:
 value: <1 a @0> (size=512,offset=0): f32[128]{0}
 value: <3 c @0> (size=512,offset=0): f32[128]{0}
allocation 1: size 512, parameter 0, shape |f32[128]| at ShapeIndex {}:
 value: <0 p @0> (size=512,offset=0): f32[128]{0}
allocation 2: size 256, preallocated-temp:
 value: <2 b @0> (size=256,offset=0): f32[64]{0}

Total bytes used: 1280 (1.2KiB)

Used values:
<0 p @0>
 positions:
  p
 uses:
  a, operand 0
 from instruction: %p = f32[128]{0} parameter(0)
<1 a @0>
 positions:
  a
 uses:
  b, operand 0
 from instruction: %a = f32[128]{0} sort(f32[128]{0} %p), dimensions={0}, to_apply=%less
<2 b @0>
 positions:
  b
 uses:
  c, operand 0
 from instruction: %b = f32[64]{0} slice(f32[128]{0} %a), slice={[0:64]}
<3 c @0>
 positions:
  c
 uses:
 from instruction: %c = f32[128]{0} custom-call(f32[64]{0} %b), custom_call_target="x"


HloLiveRange (max 4):
  InstructionSequence:
    0:p
    1:a
    2:b
    3:c
  BufferLiveRange:
    p{}:0-4
    a{}:1-2
    b{}:2-3
    c{}:3-4
  Live ranges at 2 (peak):
    p: 512 bytes
)";
  const AssignmentReadResult printed = ReadAssignment(kText);
  ASSERT_TRUE(printed.ok());
  const Assignment again = ReassignBuffers(printed.assignment, RulesOf(Backend::kGpu), false);
  EXPECT_EQ(again.total_bytes, 1280);
  EXPECT_EQ(PositionsOf(again), PositionsOf(printed.assignment));
}

}  // namespace
}  // namespace halo
