// Rules, and what names in a program may do to a comment.
#include "halo/api/snapshot/gate.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "halo/api/snapshot/snapshot_document.h"

namespace halo {
namespace {

GateResult Checked(std::string_view rules, const ProgramSnapshot& before,
                   const ProgramSnapshot& after) {
  GateResult gate{.before = before, .after = after, .diff = {}, .outcomes = {}};
  gate.outcomes = CheckRules(*ParseFailRules(rules), before, after, std::nullopt);
  return gate;
}

ProgramSnapshot Small() {
  ProgramSnapshot snapshot;
  snapshot.version = "1";
  snapshot.program = "m";
  snapshot.peak_bytes = 1000;
  snapshot.seconds = 0.5;
  snapshot.device = "h100";
  snapshot.ops["copy"] = 1;
  snapshot.sized[{"copy", 64}] = 1;
  return snapshot;
}

TEST(GateTest, LimitsAreNotBroken) {
  const ProgramSnapshot before = Small();
  ProgramSnapshot after = Small();
  after.peak_bytes = 1010;
  after.seconds = 0.515;
  EXPECT_EQ(Checked("peak>+1%,peak>+10,peak>1010,time>+3%,time>515ms", before, after)
                .CountOf(RuleOutcome::State::kHeld),
            5u);
  after.peak_bytes = 1011;
  after.seconds = 0.516;
  EXPECT_EQ(Checked("peak>+1%,peak>+10,peak>1010,time>+3%,time>515ms", before, after)
                .CountOf(RuleOutcome::State::kBroken),
            5u);
}

TEST(GateTest, LargerCopiesAreNewAboveTheSizeOnly) {
  const ProgramSnapshot before = Small();
  ProgramSnapshot after = Small();
  after.sized.clear();
  after.sized[{"copy", 65}] = 1;
  const GateResult gate = Checked("new:copy,new:copy>63,new:copy>64,new:copy>65", before, after);
  EXPECT_EQ(gate.outcomes[0].state, RuleOutcome::State::kHeld);
  EXPECT_EQ(gate.outcomes[1].state, RuleOutcome::State::kHeld);
  EXPECT_EQ(gate.outcomes[2].state, RuleOutcome::State::kBroken);
  EXPECT_EQ(gate.outcomes[3].state, RuleOutcome::State::kHeld);
}

TEST(GateTest, WhatIsMissingCannotBeChecked) {
  ProgramSnapshot before = Small();
  before.peak_bytes.reset();
  before.version = "0";
  const GateResult gate = Checked("peak>+1%,peak>1MiB,changed", before, Small());
  EXPECT_EQ(gate.outcomes[0].state, RuleOutcome::State::kUnknown);
  EXPECT_EQ(gate.outcomes[1].state, RuleOutcome::State::kHeld);
  EXPECT_EQ(gate.outcomes[2].state, RuleOutcome::State::kUnknown);
}

TEST(GateTest, NamesAddNoMarkup) {
  GateResult gate = Checked("changed", Small(), Small());
  gate.after.program = "a`@all`\n# title";
  ProgramDiff diff;
  DiffCause cause;
  cause.what = "x|y @all <img> [a](b)";
  cause.places.push_back({.before = "p|`@all`", .after = {}});
  diff.causes.assign(100, cause);
  gate.diff = diff;
  const std::string text = GateMarkdown(gate);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 60);
  EXPECT_EQ(text.find("\n# title"), std::string::npos);
  EXPECT_EQ(text.find("<img"), std::string::npos);
  EXPECT_EQ(text.find("| x|y"), std::string::npos);
  EXPECT_EQ(text.find("y @all"), std::string::npos);
  EXPECT_NE(text.find("`p\\|'@all'`"), std::string::npos) << text;
}

TEST(GateTest, MarkdownIsPrintable) {
  GateResult gate = Checked("changed", Small(), Small());
  gate.after.program = std::string(78, 'a') + "\u00E9\u00E9\u00E9";
  ProgramDiff diff;
  DiffCause cause;
  cause.what = "a\033[31m\x9B\u202E\n# title";
  diff.causes.assign(1, cause);
  gate.diff = diff;
  const std::string text = GateMarkdown(gate);
  EXPECT_NE(text.find("a\\\\x1b\\[31m\\\\x9b\\\\xe2\\\\x80\\\\xae\\\\x0a# title"),
            std::string::npos)
      << text;
  // A name is cut between characters.
  EXPECT_NE(text.find("a\u00E9`"), std::string::npos) << text;
}

TEST(GateTest, SnapshotsReadBack) {
  const ProgramSnapshot before = Small();
  const std::string text = SnapshotFileJson(before);
  ASSERT_TRUE(IsSnapshot(text));
  const Result<ProgramSnapshot> after = ReadSnapshot(text);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->sized, before.sized);
  EXPECT_EQ(after->ops, before.ops);
  EXPECT_EQ(SnapshotFileJson(*after), text);
  EXPECT_FALSE(ReadSnapshot("[]").ok());
  EXPECT_FALSE(ReadSnapshot(R"({"schema":"halo.snapshot.v1","instructions":"many"})").ok());
}

}  // namespace
}  // namespace halo
