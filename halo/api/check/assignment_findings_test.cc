// Tests what `halo check` says about an assignment in which two values overlap.
#include "halo/api/check/assignment_findings.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/memory/text/read_assignment.h"

namespace halo {
namespace {

constexpr std::string_view kText = R"(BufferAssignment:
allocation 0: size 64, preallocated-temp:
 value: <0 a @0> (size=64,offset=0): f32[16]{0}
 value: <1 b @0> (size=32,offset=32): f32[8]{0}

Total bytes used: 64 (64B)

Used values:
<0 a @0>
 positions:
  a
 uses:
  c, operand 0
 from instruction: %a = f32[16]{0} iota(), iota_dimension=0
<1 b @0>
 positions:
  b
 uses:
  c, operand 1
 from instruction: %b = f32[8]{0} iota(), iota_dimension=0


HloLiveRange (max 4):
  InstructionSequence:
    0:a
    1:b
    2:c
    3:d
  BufferLiveRange:
    a{}:0-2
    b{}:1-2
  Live ranges at 1 (peak):
    a{}: 64 bytes
    b{}: 32 bytes
)";

TEST(AssignmentFindings, NamesWhatOverlapsAndWhatToDo) {
  CheckedFile checked;
  AddFindings(ReadAssignment(kText).assignment, nullptr, {}, checked);
  ASSERT_EQ(checked.errors, 1u);
  ASSERT_EQ(checked.notes.size(), 1u);
  EXPECT_EQ(checked.notes[0].label(), "overlap");
  EXPECT_EQ(checked.notes[0].diagnostic.message,
            "a and b share 32 bytes of allocation 0 while both are live, from 1 to 2.");
  EXPECT_EQ(checked.notes[0].diagnostic.help,
            "move one of the two, or end the first live range before the second begins");
}

TEST(AssignmentFindings, IgnoresAModuleThatItDoesNotBelongTo) {
  const Module other;
  CheckedFile checked;
  AddFindings(ReadAssignment(kText).assignment, &other, "other.txt", checked);
  EXPECT_EQ(checked.errors, 1u);
}

TEST(AssignmentFindings, ATotalOfZeroIsWrong) {
  std::string text(kText);
  const std::string_view total = "Total bytes used: 64 (64B)";
  text.replace(text.find(total), total.size(), "Total bytes used: 0 (0B)");
  CheckedFile checked;
  AddFindings(ReadAssignment(text).assignment, nullptr, {}, checked);
  EXPECT_EQ(checked.errors, 2u);
  // Without a total there is nothing to compare.
  checked = {};
  AddFindings(ReadAssignment(text.substr(0, text.find("\nTotal"))).assignment, nullptr, {},
              checked);
  for (const CheckNote& note : checked.notes) EXPECT_NE(note.label(), "wrong-total");
}

}  // namespace
}  // namespace halo
