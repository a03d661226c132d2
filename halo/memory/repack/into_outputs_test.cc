// Miniatures of the seed cases: what may move into a result's memory, and what may not.
#include "halo/memory/repack/into_outputs.h"

#include <gtest/gtest.h>

#include "halo/memory/check/check_assignment.h"
#include "halo/memory/text/read_assignment.h"

namespace halo {
namespace {

// Two temporaries of 512 bytes; `out` of 2048 is written at time 4, when both are dead.
constexpr std::string_view kText = R"(BufferAssignment:
allocation 0: size 2048, output shape is |f32[512]|, maybe-live-out:
 value: <3 out @0> (size=2048,offset=0): f32[512]{0}
allocation 1: size 4, parameter 0, shape |f32[]| at ShapeIndex {}:
 value: <0 p @0> (size=4,offset=0): f32[]
allocation 2: size 1024, preallocated-temp:
 value: <1 a @0> (size=512,offset=0): f32[128]{0}
 value: <2 b @0> (size=512,offset=512): f32[128]{0}

Total bytes used: 3076 (3.0KiB)

Used values:
<0 p @0>
 positions:
  p
 uses:
  a, operand 0
 from instruction: %p = f32[] parameter(0)
<1 a @0>
 positions:
  a
 uses:
  b, operand 0
  c, operand 0
 from instruction: %a = f32[128]{0} broadcast(f32[] %p), dimensions={}
<2 b @0>
 positions:
  b
 uses:
  c, operand 1
 from instruction: %b = f32[128]{0} sort(f32[128]{0} %a), dimensions={0}, to_apply=%less
<3 out @0>
 positions:
  out
 uses:
 from instruction: %out = f32[512]{0} custom-call(), custom_call_target="x"


HloLiveRange (max 5):
  InstructionSequence:
    0:p
    1:a
    2:b
    3:c
    4:out
  BufferLiveRange:
    p{}:0-5
    a{}:1-3
    b{}:2-3
    out{}:OUT-5
  Live ranges at 2 (peak):
    p: 4 bytes
)";

Assignment Read(std::string_view out_start) {
  std::string text(kText);
  text.replace(text.find("OUT"), 3, out_start);
  AssignmentReadResult read = ReadAssignment(text);
  EXPECT_TRUE(read.ok());
  return std::move(read.assignment);
}

TEST(IntoOutputsTest, WhatDiesBeforeTheResultIsWrittenMoves) {
  Assignment assignment = Read("4");
  const IntoOutputs moved = MoveIntoOutputs(assignment, {.alignment = 64});
  EXPECT_EQ(moved.buffers, 2u);
  EXPECT_EQ(moved.bytes, 1024);
  EXPECT_EQ(moved.saved, 1024);
  EXPECT_EQ(assignment.total_bytes, 3076 - 1024);
  EXPECT_EQ(assignment.allocations[2].size, 0);
  EXPECT_EQ(assignment.allocations[0].count, 3u);
  EXPECT_NE(assignment.values[1].offset, assignment.values[2].offset);
  EXPECT_EQ(CheckAssignment(assignment, nullptr, {}).total, 0u);
}

TEST(IntoOutputsTest, WhatLivesWithTheResultStays) {
  Assignment assignment = Read("3");
  EXPECT_EQ(MoveIntoOutputs(assignment, {.alignment = 64}).buffers, 0u);
  EXPECT_EQ(assignment.total_bytes, 3076);
  EXPECT_EQ(assignment.allocations[2].size, 1024);
}

}  // namespace
}  // namespace halo
