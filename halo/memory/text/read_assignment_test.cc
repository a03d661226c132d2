// What the pieces of an assignment add up to, whole or split; the text itself is tested by golden
// files.
#include "halo/memory/text/read_assignment.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/memory/model/memory_diagnostics.h"
#include "halo/memory/text/memory_report.h"
#include "halo/memory/text/write_assignment.h"

namespace halo {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kAllocations = R"(BufferAssignment:
allocation 0: size 64, parameter 0, shape |f32[16]| at ShapeIndex {}:
 value: <3 p @0> (size=64,offset=0): f32[16]{0}
allocation 1: size 96, color 1, preallocated-temp:
 value: <5 pair{} @1> (size=16,offset=64): (f32[16]{0}, f32[16]{0})
 value: <6 pair{1} (phi) @1> (size=64,offset=0): f32[16]{0}
)";
constexpr std::string_view kValues = R"(
Total bytes used: 160 (160B)

Used values:
<3 p @0>
 positions:
  p
  pair {0}
 uses:
  pair, operand 0
  get, operand 0 {0}
 from instruction: %p = f32[16]{0} parameter(0)
<5 pair{} @1>
 positions:
  pair {}
 uses:
  (none)
 from instruction: %pair = (f32[16]{0}, f32[16]{0}) fusion(%p)
<6 pair{1} (phi) @1>
 positions:
  pair {1}
 uses:
  (none)
 from instruction: %pair = (f32[16]{0}, f32[16]{0}) fusion(%p)
)";
constexpr std::string_view kLiveRanges = R"(HloLiveRange (max 2):
  InstructionSequence:
    0:p
    1:pair
  BufferLiveRange:
    p{}:0-2
    constant{}:0-1
    pair{}:1-2
    pair{1}:1-1
  Live ranges at 1 (peak):
    p{}: 64 bytes (cumulative: 64 bytes)
)";

std::string Printed(const Assignment& assignment, std::string_view style) {
  TextBuffer out;
  WriteAssignment(assignment, *AssignmentStyleFromText(style), AssignmentPieces::All(), out);
  return out.str();
}

TEST(ReadAssignment, JoinsPiecesInAnyOrder) {
  const std::array texts = {kLiveRanges, kValues, kAllocations};
  const AssignmentReadResult read = ReadAssignment(texts);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read.pieces[0].has(AssignmentPiece::kLiveRanges));
  EXPECT_TRUE(read.pieces[2].has(AssignmentPiece::kAllocations));
  const Assignment& a = read.assignment;
  ASSERT_EQ(a.values.size(), 4U);
  const AssignedValue& phi = a.values[2];
  EXPECT_EQ(phi.id, 6);
  EXPECT_EQ(a.NameOf(phi), "pair{1}");
  EXPECT_TRUE(phi.is_phi);
  EXPECT_EQ(phi.allocation.index(), 1U);
  EXPECT_EQ(phi.live, (LiveRange{1, 1}));
  EXPECT_EQ(a.uses_of(a.values[0]).size(), 2U);
  EXPECT_EQ(a.positions_of(a.values[0]).size(), 2U);
  EXPECT_FALSE(a.positions_of(a.values[0])[0].index.valid());
  EXPECT_TRUE(a.style.split);
  EXPECT_FALSE(a.style.pages);
  for (size_t i = 0; i < texts.size(); ++i) {
    TextBuffer out;
    WriteAssignment(a, a.style, read.pieces[i], out);
    EXPECT_EQ(out.view(), texts[i]);
  }
}

TEST(ReadAssignment, ValuesWithoutAllocationComeLast) {
  const std::array texts = {kAllocations, kLiveRanges};
  const Assignment a = ReadAssignment(texts).assignment;
  const AssignedValue& constant = a.values.back();
  EXPECT_EQ(constant.id, -1);
  EXPECT_FALSE(constant.allocation.valid());
  EXPECT_EQ(constant.live, (LiveRange{0, 1}));
  EXPECT_EQ(a.value(a.ranged[1]).id, -1);
}

TEST(ReadAssignment, OnePieceAlone) {
  const AssignmentReadResult read = ReadAssignment(kLiveRanges);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.assignment.values.size(), 4U);
  EXPECT_EQ(read.assignment.schedule_end, 2);
  EXPECT_EQ(read.assignment.peak.time, 1);
  EXPECT_EQ(read.assignment.peak.entries.size(), 1U);
}

TEST(ReadAssignment, PiecesOfDifferentDumps) {
  const std::string other =
      "BufferAssignment:\nallocation 0: size 4:\n"
      " value: <3 q @0> (size=4,offset=0): f32[]\n";
  const std::array<std::string_view, 2> texts = {other, kValues};
  const AssignmentReadResult read = ReadAssignment(texts);
  EXPECT_TRUE(read.diagnostics[0].ok());
  EXPECT_EQ(read.diagnostics[1].errors(), 3U);
  EXPECT_EQ(read.diagnostics[1].all()[0].code, diag::kAssignmentPiecesDisagree);
  EXPECT_EQ(read.diagnostics[1].all()[0].location.line, 5U);
}

TEST(WriteAssignment, AnyGenerationsStyle) {
  const std::array texts = {kAllocations, kValues, kLiveRanges};
  const Assignment a = ReadAssignment(texts).assignment;
  EXPECT_THAT(Printed(a, "2018"), HasSubstr("  pair[1](#6 @1) [0,64]: f32[16]{0}\n"));
  EXPECT_THAT(Printed(a, "2019-04"), HasSubstr("  6 PHI pair{1} @1, positions:\n  pair {1}\n"));
  EXPECT_THAT(Printed(a, "2019-09"), HasSubstr("allocation 0: 0x0, size 64, parameter 0 at Sh"));
  EXPECT_THAT(Printed(a, "2019-12"), HasSubstr("\nTotal bytes used: 160\n"));
  EXPECT_THAT(Printed(a, "2021-04"), HasSubstr("    p: 64 bytes\n"));
  EXPECT_THAT(Printed(a, "2021-09"), HasSubstr(" from instruction:%p = "));
  EXPECT_THAT(Printed(a, "2024-01"), HasSubstr("parameter(0)<5 pair{} @1>\n"));
  EXPECT_THAT(Printed(a, "2025-04"), HasSubstr("    p{}: 64 bytes\n"));
  EXPECT_THAT(Printed(a, "2026-08"), HasSubstr(", color 1, page 0, preallocated-temp:"));
  EXPECT_FALSE(AssignmentStyleFromText("2027").has_value());
}

// A text printed in a style is read as that style, with the same contents.
TEST(WriteAssignment, StylesReadBack) {
  const std::array texts = {kAllocations, kValues, kLiveRanges};
  const Assignment a = ReadAssignment(texts).assignment;
  for (const std::string_view name : AssignmentStyleTexts()) {
    const std::string text = Printed(a, name);
    const AssignmentReadResult read = ReadAssignment(text);
    ASSERT_TRUE(read.ok()) << name << text;
    TextBuffer out;
    WriteAssignment(read.assignment, read.assignment.style, read.pieces[0], out);
    EXPECT_EQ(out.view(), text) << name;
    EXPECT_EQ(read.assignment.placed.size(), 3U) << name;
    EXPECT_EQ(read.assignment.values[1].offset, 64) << name;
  }
}

TEST(MakeMemoryReport, BothForms) {
  const Assignment a = ReadAssignment(kAllocations).assignment;
  TextBuffer spaces;
  WriteMemoryReport(MakeMemoryReport(a, ReportForm::kMemorySpaces), spaces);
  EXPECT_THAT(spaces.str(), HasSubstr("Memory Space: vmem (color=1)\nTotal bytes: 96 (96B)\n"));
  EXPECT_THAT(spaces.str(), HasSubstr("        80B(100%);        16B;           64;"
                                      "                1; (f32[16], f32[16])\n"));
  TextBuffer list;
  WriteMemoryReport(MakeMemoryReport(a, ReportForm::kAllocations), list);
  EXPECT_THAT(list.str(),
              HasSubstr("       96B( 60%);        64B; allocation 1: size 96B, color 1"));
  for (const TextBuffer* text : {&spaces, &list}) {
    Diagnostics diagnostics;
    TextBuffer again;
    WriteMemoryReport(ReadMemoryReport(text->view(), diagnostics), again);
    EXPECT_TRUE(diagnostics.empty());
    EXPECT_EQ(again.view(), text->view());
  }
}

}  // namespace
}  // namespace halo
