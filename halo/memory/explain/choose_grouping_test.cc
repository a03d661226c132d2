// Which grouping is chosen, and the reason given for it.
#include "halo/memory/explain/choose_grouping.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

LiveEntry Entry(int64_t bytes, std::string scope, std::string source, std::string shape) {
  LiveEntry entry;
  entry.bytes = bytes;
  entry.scope = std::move(scope);
  entry.source = std::move(source);
  entry.shape = std::move(shape);
  return entry;
}

struct Chosen {
  GroupBy by = GroupBy::kScope;
  std::string reason;
};

Chosen Choose(const std::vector<LiveEntry>& entries) {
  Chosen chosen;
  ChooseGrouping(entries, chosen.by, chosen.reason);
  return chosen;
}

TEST(ChooseGrouping, ScopesIfTheyDivide) {
  const Chosen chosen = Choose({Entry(6, "a", "", "x"), Entry(4, "b", "", "y")});
  EXPECT_EQ(chosen.by, GroupBy::kScope);
  EXPECT_EQ(chosen.reason, "");
}

TEST(ChooseGrouping, SourceLinesIfOneScopeHasNearlyAll) {
  const Chosen chosen = Choose(
      {Entry(60, "a", "m.py:1", "x"), Entry(36, "a", "m.py:2", "x"), Entry(4, "b", "", "y")});
  EXPECT_EQ(chosen.by, GroupBy::kSource);
  EXPECT_EQ(chosen.reason, "96% is in one scope, a");
}

TEST(ChooseGrouping, ShapesIfNothingHasAName) {
  const Chosen chosen = Choose({Entry(6, "", "", "f32[2]{0}"), Entry(4, "", "", "f32[3]{0}")});
  EXPECT_EQ(chosen.by, GroupBy::kShape);
  EXPECT_EQ(chosen.reason, "100% has no scope");
}

TEST(ChooseGrouping, ScopesIfNothingIsBetter) {
  EXPECT_EQ(Choose({Entry(6, "a", "", "x")}).by, GroupBy::kScope);
  EXPECT_EQ(Choose({}).by, GroupBy::kScope);
}

}  // namespace
}  // namespace halo
