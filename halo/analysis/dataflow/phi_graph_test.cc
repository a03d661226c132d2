// Values that merge in many inputs, and what simplifying them costs.
#include "halo/analysis/dataflow/phi_graph.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

// A computation's parameter, 0, that `count` conditionals pass on in turn: the first passes 1, each
// other one what the one before returns, which is the computation's result, 2, in both branches.
PhiGraph Passed(uint32_t count) {
  PhiGraph graph;
  std::vector<uint32_t> passed = {1, 1};
  for (uint32_t i = 0; i + 1 < count; ++i) passed.insert(passed.end(), 2, 3 + i);
  graph.Set(0, passed);
  for (uint32_t i = 0; i < count; ++i) graph.Set(3 + i, std::vector<uint32_t>{2, 2});
  return graph;
}

TEST(PhiGraph, ManyInputsAreReplaced) {
  for (const uint32_t count : {2, 16, 17, 500}) {
    PhiGraph graph = Passed(count);
    graph.Simplify();
    for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(graph.Meaning(3 + i), 2u) << count;
    EXPECT_EQ(graph.Meaning(0), 0u) << count;  // 1 and 2 remain
  }
}

TEST(PhiGraph, APhiOfManyInputsThatAreOneValueIsThatValue) {
  for (const uint32_t count : {2, 40, 500}) {
    PhiGraph graph;
    std::vector<uint32_t> inputs = {0};  // a loop passes it on to itself
    for (uint32_t i = 0; i < count; ++i) inputs.push_back(2 + i);
    graph.Set(0, inputs);
    for (uint32_t i = 0; i < count; ++i) graph.Set(2 + i, std::vector<uint32_t>{1, 0});
    graph.Simplify();
    EXPECT_EQ(graph.Meaning(0), 1u) << count;
    for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(graph.Meaning(2 + i), 1u) << count;
  }
}

double SecondsFor(uint32_t count) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    PhiGraph graph = Passed(count);
    const auto begin = std::chrono::steady_clock::now();
    graph.Simplify();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(graph.Meaning(3), 2u);
    least = std::min(least, taken.count());
  }
  return least;
}

// Eight times the inputs may take sixteen times as long; a quadratic cost would be 64 times.
TEST(PhiGraph, TheCostOfManyInputsIsNearLinear) {
  const double small = SecondsFor(4'000);
  EXPECT_LT(SecondsFor(32'000), 16 * small + 0.05);
}

}  // namespace
}  // namespace halo
