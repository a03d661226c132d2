// Tests the text and the JSON of one overlap.
#include "halo/api/check/assignment_findings.h"

#include <gtest/gtest.h>

#include "halo/memory/check/check_assignment.h"
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

TEST(AssignmentFindings, TextNamesWhatClashes) {
  const Assignment assignment = ReadAssignment(kText).assignment;
  const std::string text = FindingsText(assignment, CheckAssignment(assignment, nullptr));
  EXPECT_EQ(text.substr(0, text.find("not checked")),
            "overlap: a and b share 32 bytes of allocation 0 while both are live, from 1 to 2.\n"
            "  a, f32[16]{0}, 64 bytes at offset 0 of allocation 0, live 0-2\n"
            "  b, f32[8]{0}, 32 bytes at offset 32 of allocation 0, live 1-2\n"
            "  to do: move one of the two, or end the first live range before the second begins\n\n"
            "not sound, 1 finding: 2 values, 1 pair with shared bytes, checked against the printed "
            "assignment\n");
}

TEST(AssignmentFindings, JsonHasBothValuesBytesAndTime) {
  const Assignment assignment = ReadAssignment(kText).assignment;
  const std::string json = FindingsJson("x", assignment, CheckAssignment(assignment, nullptr));
  for (const std::string_view part :
       {R"("sound":false)", R"("counts":{"overlap":1})", R"("begin_byte":32)", R"("end_byte":64)",
        R"("from":1)", R"("to":2)", R"("name":"b")"}) {
    std::string flat;
    for (const char c : json) {
      if (c != ' ' && c != '\n') flat += c;
    }
    EXPECT_NE(flat.find(part), std::string::npos) << part << " in " << json;
  }
}

}  // namespace
}  // namespace halo
