// Tests what documents say about a finding without a place in its file.
#include "halo/api/check/check_result.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

CheckNote Note(std::optional<Rule> rule, uint32_t line) {
  CheckNote note;
  note.rule = rule;
  note.diagnostic.code = {"unknown-opcode", Severity::kWarning, ""};
  note.diagnostic.severity = Severity::kWarning;
  note.diagnostic.location = {.offset = 0, .line = line, .column = 1};
  note.computation = "main";
  return note;
}

TEST(CheckResultTest, OnlyRulesWithALineHaveAnOffset) {
  const Rule rule{};
  EXPECT_FALSE(PublicNote(Note(rule, 0), "f").offset.has_value());
  EXPECT_EQ(PublicNote(Note(rule, 1), "f").offset, 0u);
  // What the reader finds has a place in a file that is not text, too.
  EXPECT_EQ(PublicNote(Note(std::nullopt, 0), "f").offset, 0u);
}

TEST(CheckResultTest, SumsFilesAndNamesTheRule) {
  CheckedFile file;
  file.path = "step.hlo";
  file.warnings = 3;
  file.notes = {Note(Rule{}, 2)};
  const std::vector<CheckedFile> files = {file, file};
  const v0::CheckResult result = CheckResultOf(files);
  EXPECT_EQ(result.warnings, 6u);
  ASSERT_EQ(result.inputs.size(), 2u);
  EXPECT_EQ(result.inputs[1].warnings, 3u);
  ASSERT_EQ(result.diagnostics.size(), 2u);
  EXPECT_EQ(result.diagnostics[0].code, TextOf(Rule{}));
  EXPECT_EQ(result.diagnostics[0].computation, "main");
  EXPECT_EQ(result.diagnostics[0].path, "step.hlo");
}

}  // namespace
}  // namespace halo
