// Tests the tree of scopes and the order by scope: every order respects dependencies, and a scope
// is split only where it must be.
#include "halo/view/graph/scope_tree.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halo::view {
namespace {

using testing::ElementsAre;

Dependencies Make(const std::vector<std::vector<uint32_t>>& reads) {
  Dependencies made;
  for (const std::vector<uint32_t>& each : reads) {
    made.on.insert(made.on.end(), each.begin(), each.end());
    made.begins.push_back(static_cast<uint32_t>(made.on.size()));
  }
  return made;
}

TEST(ScopeTreeTest, PathsEndBeforeThePrimitive) {
  ScopeTree tree;
  const uint32_t attention = tree.Add("jit(f)/encoder/layer_3/attention/dot_general");
  const uint32_t mlp = tree.Add("jit(f)/encoder/layer_3/mlp/add");
  EXPECT_EQ(tree.path(attention), "jit(f)/encoder/layer_3/attention");
  EXPECT_EQ(tree.depth(attention), 4u);
  const uint32_t layer = tree.Common(attention, mlp);
  EXPECT_EQ(tree.path(layer), "jit(f)/encoder/layer_3");
  EXPECT_EQ(tree.path(attention, layer), "attention");
  EXPECT_EQ(tree.path(tree.At(mlp, 2)), "jit(f)/encoder");
  EXPECT_EQ(tree.Add("add"), ScopeTree::kRoot);
  EXPECT_EQ(tree.Add(""), ScopeTree::kRoot);
  // A slash in an argument separates nothing.
  EXPECT_EQ(tree.depth(tree.Add("jit(a/b)/c/add")), 2u);
}

TEST(ScopeTreeTest, VeryDeepPathsEnd) {
  ScopeTree tree;
  std::string name;
  for (int i = 0; i < 1000; ++i) name += "a/";
  EXPECT_EQ(tree.depth(tree.Add(name)), ScopeTree::kDeepest);
}

TEST(ScopeTreeTest, ScopesThatAlternateAreBroughtTogether) {
  ScopeTree tree;
  const uint32_t a = tree.Add("a/x"), b = tree.Add("b/x");
  // Two chains, written in turn: 0 2 4 in a, 1 3 5 in b.
  const std::vector<uint32_t> scopes = {a, b, a, b, a, b};
  const std::vector<uint32_t> order =
      OrderByScope(tree, scopes, Make({{}, {}, {0}, {1}, {2}, {3}}));
  EXPECT_THAT(order, testing::AnyOf(ElementsAre(0, 2, 4, 1, 3, 5), ElementsAre(1, 3, 5, 0, 2, 4)));
}

TEST(ScopeTreeTest, AScopeThatWaitsForAnotherIsSplit) {
  ScopeTree tree;
  const uint32_t a = tree.Add("a/x"), b = tree.Add("b/x");
  // a needs b, which needs a.
  const std::vector<uint32_t> scopes = {a, b, a};
  EXPECT_THAT(OrderByScope(tree, scopes, Make({{}, {0}, {1}})), ElementsAre(0, 1, 2));
}

TEST(ScopeTreeTest, ValuesWithoutOperandsStayWithTheirScope) {
  ScopeTree tree;
  const uint32_t a = tree.Add("a/x"), b = tree.Add("b/x");
  // 0 is in b and reads nothing; what it feeds comes after all of a.
  const std::vector<uint32_t> scopes = {b, a, a, b};
  EXPECT_THAT(OrderByScope(tree, scopes, Make({{}, {}, {1}, {0, 2}})), ElementsAre(1, 2, 0, 3));
}

TEST(ScopeTreeTest, EveryOrderRespectsDependencies) {
  uint32_t state = 1;
  const auto next = [&](uint32_t below) {
    return (state = state * 1664525 + 1013904223) / 7 % below;
  };
  for (int round = 0; round < 50; ++round) {
    ScopeTree tree;
    std::vector<uint32_t> scopes, places(200);
    std::vector<std::vector<uint32_t>> reads;
    const std::vector<std::string> names = {"a/x", "a/b/x", "a/b/c/x", "d/x", "d/b/x", "x"};
    for (uint32_t i = 0; i < 200; ++i) {
      scopes.push_back(tree.Add(names[next(6)]));
      reads.emplace_back();
      for (uint32_t k = next(3); i > 0 && k > 0; --k) reads.back().push_back(next(i));
    }
    const std::vector<uint32_t> order = OrderByScope(tree, scopes, Make(reads));
    ASSERT_EQ(order.size(), 200u);
    for (uint32_t i = 0; i < 200; ++i) places[order[i]] = i;
    for (uint32_t i = 0; i < 200; ++i) {
      for (const uint32_t each : reads[i]) EXPECT_LT(places[each], places[i]);
    }
  }
}

}  // namespace
}  // namespace halo::view
