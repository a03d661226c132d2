// The three notations of replica groups: what is accepted, canonical text as jaxlib 0.10.2 prints
// it, and which devices are grouped together.
#include "halo/ir/sharding/replica_groups.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

std::optional<Groups> Expanded(const char* text, size_t limit = 100) {
  const auto groups = ParseReplicaGroups(text);
  return groups ? ExpandReplicaGroups(*groups, limit) : std::nullopt;
}

TEST(ReplicaGroups, CanonicalForms) {
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "{}"},
      {"{{}}", "{{}}"},
      {"{{0, 1}, {2,3}}", "{{0,1},{2,3}}"},
      {"[2,4]<=[8]", "[2,4]<=[8]"},
      {"[2,4]<=[4,2]T(1,0)", "[2,4]<=[4,2]T(1,0)"},
      {"[4,2]<=[2,2,2]T(0,1,2)", "[4,2]<=[8]"},
      {"mesh['x'=2,'y'=2] {'y', 'x'}", "mesh['x'=2,'y'=2] {'y','x'}"},
      {"mesh['x'=2,'y'=2], device_ids=(3,2,1,0) {'y'}",
       "mesh['x'=2,'y'=2], device_ids=(3,2,1,0) {'y'}"},
      {"mesh['x'=2,'y'=8] {'y':(4)2, 'y':(1)2}", "mesh['x'=2,'y'=8] {'y':(4)2,'y':(1)2}"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(CanonicalGroupsText(text), canonical);
    EXPECT_EQ(CanonicalGroupsText(canonical), canonical);
  }
}

TEST(ReplicaGroups, Expansion) {
  EXPECT_EQ(Expanded("{}"), Groups{});
  EXPECT_EQ(Expanded("{{0,1},{2,3}}"), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(Expanded("[2,4]<=[8]"), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(Expanded("[2,4]<=[4,2]T(1,0)"), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(Expanded("mesh['x'=2,'y'=2] {'y'}"), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(Expanded("mesh['x'=2,'y'=2] {'x'}"), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(Expanded("mesh['x'=2,'y'=2] {'y','x'}"), (Groups{{0, 2, 1, 3}}));
  EXPECT_EQ(Expanded("mesh['x'=2,'y'=2], device_ids=(3,2,1,0) {'y'}"), (Groups{{3, 2}, {1, 0}}));
  EXPECT_EQ(Expanded("mesh['x'=8] {'x':(2)2}"), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(Expanded("mesh['x'=8] {'x':(4)2,'x':(1)2}"), (Groups{{0, 4, 1, 5}, {2, 6, 3, 7}}));
}

TEST(ReplicaGroups, OneTextForAllNotations) {
  for (const char* text : {"{{0,1},{2,3}}", "[2,2]<=[4]", "mesh['x'=2,'y'=2] {'y'}"}) {
    EXPECT_EQ(GroupListsText(text, 100), "{{0,1},{2,3}}");
  }
  EXPECT_EQ(GroupListsText("mesh['x'=2,'y'=2] {'x'}", 100), "{{0,2},{1,3}}");
  EXPECT_EQ(GroupListsText("{}", 100), "{}");
  EXPECT_EQ(GroupListsText("[2,2]<=[2,2]T(0,1)", 3), "[2,2]<=[4]");
  EXPECT_EQ(GroupListsText("groups", 100), "groups");
}

TEST(ReplicaGroups, ExpansionHasALimit) {
  EXPECT_FALSE(Expanded("[1000000,1000000]<=[1000000000000]"));
  EXPECT_FALSE(Expanded("mesh['x'=1000000,'y'=1000000] {'x'}"));
  EXPECT_FALSE(Expanded("{{0,1,2}}", 2));
  EXPECT_FALSE(Expanded("mesh['x'=8] {'x':(3)2}"));
  EXPECT_FALSE(Expanded("mesh['x'=8] {'x','x'}"));
}

TEST(ReplicaGroups, Refusals) {
  for (const char* text : {"", "{", "{0,1}", "{{0,1}", "{{0,}}", "[2]<=[2]", "[2,2]<=[5]", "[2,2]",
                           "mesh['x'=2]", "mesh['x'=2] {'y'}", "{} {}", "x"}) {
    std::string why;
    EXPECT_FALSE(ParseReplicaGroups(text, &why)) << text;
    EXPECT_NE(why, "") << text;
    EXPECT_EQ(CanonicalGroupsText(text), text);
  }
}

TEST(ReplicaGroups, ContradictionsAreNotUnknownForms) {
  for (const char* text : {"{0,1}", "[2,2]<=[5]", "mesh['x'=2] {'y'}"}) {
    bool contradicts = false;
    EXPECT_FALSE(ParseReplicaGroups(text, nullptr, &contradicts)) << text;
    EXPECT_TRUE(contradicts) << text;
  }
  for (const char* text : {"{{0-1}}", "{<0,1>}", "[2,2]<~[4]", "torus['x'=2] {'x'}"}) {
    bool contradicts = true;
    EXPECT_FALSE(ParseReplicaGroups(text, nullptr, &contradicts)) << text;
    EXPECT_FALSE(contradicts) << text;
  }
}

}  // namespace
}  // namespace halo
