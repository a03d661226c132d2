// Packings against brute force: every result is checked for each byte and each time, and small
// problems against the best of all orders.
#include "halo/memory/pack/pack.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "halo/memory/pack/pack_fit.h"
#include "halo/memory/pack/pack_model.h"

namespace halo {
namespace {

bool LiveAt(const PackProblem& problem, const PackItem& item, int64_t time) {
  if (time < item.live.start || time > item.live.end) return false;
  for (uint32_t g = 0; g < item.gap_count; ++g) {
    const PackRange& gap = problem.gaps[item.first_gap + g];
    if (time >= gap.start && time <= gap.end) return false;
  }
  return true;
}

int64_t AlignmentOf(const PackProblem& problem, const PackItem& item) {
  return item.alignment == 0 ? problem.alignment : item.alignment;
}

// A map of owners per time and byte; times must be small.
bool BruteForceHolds(const PackProblem& problem, const Packing& packing, int64_t times) {
  for (int64_t time = 0; time < times; ++time) {
    std::vector<int> owners(packing.height, 0);
    for (size_t i = 0; i < problem.items.size(); ++i) {
      const PackItem& item = problem.items[i];
      const int64_t offset = packing.offsets[i];
      if (offset % AlignmentOf(problem, item) != 0) return false;
      if (item.fixed_offset >= 0 && item.fixed_offset != offset) return false;
      if (!LiveAt(problem, item, time)) continue;
      for (int64_t byte = offset; byte < offset + item.size; ++byte) {
        if (byte >= packing.height || owners[byte]++ != 0) return false;
      }
    }
  }
  return true;
}

bool Overlap(const PackProblem& problem, const PackItem& a, const PackItem& b, int64_t times) {
  for (int64_t time = 0; time < times; ++time) {
    if (LiveAt(problem, a, time) && LiveAt(problem, b, time)) return true;
  }
  return false;
}

// Some stacking order gives the least height: the order of the offsets in a best packing.
int64_t BruteForceLeast(const PackProblem& problem, int64_t times) {
  std::vector<size_t> order(problem.items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  int64_t least = INT64_MAX;
  do {
    std::vector<int64_t> offsets(order.size(), 0);
    int64_t height = 0;
    for (size_t k = 0; k < order.size(); ++k) {
      const PackItem& item = problem.items[order[k]];
      int64_t offset = 0;
      for (size_t e = 0; e < k; ++e) {
        const PackItem& below = problem.items[order[e]];
        if (Overlap(problem, item, below, times)) {
          offset = std::max(offset, offsets[order[e]] + below.size);
        }
      }
      const int64_t alignment = AlignmentOf(problem, item);
      offset = (offset + alignment - 1) / alignment * alignment;
      offsets[order[k]] = offset;
      height = std::max(height, offset + item.size);
    }
    least = std::min(least, height);
  } while (std::ranges::next_permutation(order).found);
  return least;
}

struct RandomShape {
  size_t items = 6;
  int64_t times = 10;
  int64_t size = 9;
  bool gaps = false;
  bool mixed = false;
};

PackProblem RandomProblem(std::mt19937& random, const RandomShape& shape) {
  const auto below = [&random](int64_t n) { return static_cast<int64_t>(random() % n); };
  PackProblem problem;
  problem.alignment = 1 + below(4);
  for (size_t i = 0; i < shape.items; ++i) {
    PackItem item;
    item.size = 1 + below(shape.size);
    item.live.start = below(shape.times);
    item.live.end = item.live.start + below(shape.times - item.live.start);
    if (shape.mixed && below(3) == 0) item.alignment = int64_t{1} << below(3);
    const int64_t length = item.live.end - item.live.start + 1;
    if (shape.gaps && length > 2 && below(2) == 0) {
      const int64_t start = item.live.start + below(length);
      item.first_gap = static_cast<uint32_t>(problem.gaps.size());
      item.gap_count = 1;
      problem.gaps.push_back({start, start + below(item.live.end - start + 1)});
      // A gap over the whole live range would leave nothing to place.
      if (start == item.live.start && problem.gaps.back().end == item.live.end) {
        --problem.gaps.back().end;
      }
    }
    problem.items.push_back(item);
  }
  return problem;
}

PackProblem Problem(std::vector<PackItem> items) {
  PackProblem problem;
  problem.items = std::move(items);
  return problem;
}

TEST(Pack, NothingToPack) {
  const std::optional<Packing> packing = Pack(PackProblem());
  ASSERT_TRUE(packing);
  EXPECT_EQ(packing->height, 0);
  EXPECT_TRUE(packing->optimal());
}

TEST(Pack, EmptyBuffersTakeNothing) {
  const std::optional<Packing> packing = Pack(Problem({{0, {0, 5}}, {7, {2, 2}}, {0, {2, 2}}}));
  ASSERT_TRUE(packing);
  EXPECT_EQ(packing->height, 7);
  EXPECT_EQ(packing->offsets, (std::vector<int64_t>{0, 0, 0}));
}

TEST(Pack, TouchingRangesAreLiveTogether) {
  EXPECT_EQ(Pack(Problem({{4, {0, 3}}, {4, {3, 5}}}))->height, 8);
  EXPECT_EQ(Pack(Problem({{4, {0, 2}}, {4, {3, 5}}}))->height, 4);
}

TEST(Pack, TheLastBufferNeedsNoRounding) {
  PackProblem problem = Problem({{100, {0, 1}}, {10, {0, 1}}});
  problem.alignment = 64;
  const std::optional<Packing> packing = Pack(problem);
  EXPECT_EQ(packing->height, 138);  // 128 + 10 rather than 64 + 100 = 164
  EXPECT_TRUE(packing->optimal());
}

TEST(Pack, BeatsTheRulesWhereTheyFail) {
  // Found among random problems: all eight rules end above the bound, and the bound can be reached.
  std::mt19937 random(7);
  int beaten = 0;
  for (int i = 0; i < 300; ++i) {
    const PackProblem problem = RandomProblem(random, {.items = 14, .times = 12, .size = 30});
    const Packing rules = *Pack(problem, {.search = false});
    const Packing searched = *Pack(problem, {.seconds = 60, .steps = 20'000});
    EXPECT_LE(searched.height, rules.height);
    EXPECT_LE(rules.height, rules.xla_height);
    beaten += searched.height < rules.height ? 1 : 0;
  }
  EXPECT_GT(beaten, 30);
}

TEST(Pack, SmallProblemsAreSolvedExactly) {
  std::mt19937 random(1);
  for (int i = 0; i < 1500; ++i) {
    const RandomShape shape = {.items = 2 + random() % 5, .gaps = i % 3 == 1};
    const PackProblem problem = RandomProblem(random, shape);
    const std::optional<Packing> packing = Pack(problem, {.seconds = 60, .steps = 100'000});
    ASSERT_TRUE(packing);
    EXPECT_TRUE(BruteForceHolds(problem, *packing, shape.times));
    EXPECT_TRUE(PackingHolds(problem, packing->offsets));
    EXPECT_EQ(packing->height, BruteForceLeast(problem, shape.times)) << i;
    EXPECT_TRUE(packing->optimal()) << i;
  }
}

TEST(Pack, BoundsHoldWithMixedAlignments) {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    const RandomShape shape = {.items = 2 + random() % 5, .gaps = i % 2 == 1, .mixed = true};
    const PackProblem problem = RandomProblem(random, shape);
    const std::optional<Packing> packing = Pack(problem, {.seconds = 60, .steps = 2'000});
    ASSERT_TRUE(packing);
    EXPECT_TRUE(BruteForceHolds(problem, *packing, shape.times));
    const int64_t least = BruteForceLeast(problem, shape.times);
    EXPECT_GE(packing->height, least);
    EXPECT_LE(packing->lower_bound, least);
  }
}

TEST(Pack, LargerProblemsHold) {
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    const RandomShape shape = {.items = 80, .times = 60, .size = 40, .gaps = i % 2 == 0};
    const PackProblem problem = RandomProblem(random, shape);
    const std::optional<Packing> packing = Pack(problem, {.seconds = 60, .steps = 5'000});
    ASSERT_TRUE(packing);
    EXPECT_TRUE(BruteForceHolds(problem, *packing, shape.times));
    EXPECT_LE(packing->lower_bound, packing->height);
    EXPECT_LE(packing->height, packing->xla_height);
  }
}

TEST(Pack, GivenOffsetsAreKept) {
  std::mt19937 random(4);
  for (int i = 0; i < 300; ++i) {
    const RandomShape shape = {.items = 12, .times = 12, .gaps = i % 2 == 0};
    PackProblem problem = RandomProblem(random, shape);
    const Packing free = *Pack(problem, {.seconds = 60, .steps = 2'000});
    for (const size_t fixed : {1, 4, 7}) {
      problem.items[fixed].fixed_offset = free.offsets[fixed] + 2 * problem.alignment;
    }
    // All were moved by the same distance, so they cannot overlap now.
    const std::optional<Packing> packing = Pack(problem, {.seconds = 60, .steps = 2'000});
    ASSERT_TRUE(packing);
    EXPECT_TRUE(BruteForceHolds(problem, *packing, shape.times));
  }
}

TEST(Pack, TheSameStepsGiveTheSameResult) {
  std::mt19937 random(5);
  const PackProblem problem = RandomProblem(random, {.items = 120, .times = 50, .size = 1000});
  const PackOptions options = {.seconds = 600, .steps = 3'000};
  const Packing once = *Pack(problem, options);
  const Packing again = *Pack(problem, options);
  EXPECT_EQ(once.offsets, again.offsets);
  EXPECT_EQ(once.steps, again.steps);
}

TEST(Pack, EnoughIsEnough) {
  const PackProblem problem = Problem({{4, {0, 1}}, {4, {1, 2}}, {4, {4, 5}}});
  const Packing packing = *Pack(problem, {.enough = 100});
  EXPECT_LE(packing.height, 100);
  EXPECT_EQ(packing.steps, 0);
}

TEST(Pack, FaultsAreNamed) {
  const auto fault = [](std::vector<PackItem> items) {
    const PackProblem problem = Problem(std::move(items));
    const std::optional<PackFault> found = FindPackFault(problem);
    EXPECT_EQ(found.has_value(), !Pack(problem).has_value());
    return found ? found->message : "";
  };
  EXPECT_EQ(fault({{1, {0, 0}}}), "");
  EXPECT_EQ(fault({{-1, {0, 0}}}), "its size is negative");
  EXPECT_EQ(fault({{1, {1, 0}}}), "it ends before it starts");
  EXPECT_EQ(fault({{1, {INT64_MIN, 0}}}), "its times are too large");
  EXPECT_EQ(fault({{1, {0, INT64_MAX}}}), "its times are too large");
  EXPECT_EQ(fault({{INT64_MAX, {0, 0}}}), "its size is too large");
  EXPECT_EQ(fault({{1, {0, 0}, -4}}), "its alignment is out of range");
  EXPECT_EQ(fault({{1, {0, 0}, 4, 6}}), "its offset is not aligned");
  EXPECT_EQ(fault({{2, {0, 0}, 0, 0}, {2, {0, 0}, 0, 1}}), "items with given offsets overlap");
  const PackItem huge = {int64_t{1} << 60U, {0, 0}};
  EXPECT_EQ(fault({huge, huge, huge}), "the sum of the sizes is too large");
}

TEST(PackingHolds, AgreesWithTheByteMap) {
  std::mt19937 random(6);
  int held = 0;
  for (int i = 0; i < 3000; ++i) {
    const RandomShape shape = {.items = 5, .gaps = i % 2 == 0};
    const PackProblem problem = RandomProblem(random, shape);
    Packing packing = *Pack(problem, {.search = false});
    packing.offsets[random() % 5] = static_cast<int64_t>(random() % 20);
    packing.height = 1000;
    const bool holds = BruteForceHolds(problem, packing, shape.times);
    EXPECT_EQ(holds, PackingHolds(problem, packing.offsets));
    held += holds ? 1 : 0;
  }
  EXPECT_GT(held, 100);
  EXPECT_LT(held, 2900);
}

TEST(Pack, ManyBuffersTakeTheRulesOnly) {
  std::mt19937 random(8);
  PackProblem problem;
  problem.alignment = 64;
  constexpr int64_t kItems = 40'000;
  for (int64_t i = 0; i < kItems; ++i) {
    const auto length = static_cast<int64_t>(random() % 100 == 0 ? random() % 5000 : random() % 8);
    problem.items.push_back({static_cast<int64_t>(random() % 100'000), {i, i + length}});
  }
  const Packing packing = *Pack(problem, {.seconds = 1});
  EXPECT_TRUE(PackingHolds(problem, packing.offsets));
  EXPECT_LT(static_cast<double>(packing.height), 1.1 * static_cast<double>(packing.lower_bound));
}

TEST(FitThroughTime, HoldsAndKnowsItsHeight) {
  std::mt19937 random(9);
  for (int i = 0; i < 200; ++i) {
    const RandomShape shape = {.items = 40, .times = 30};
    const PackProblem problem = RandomProblem(random, shape);
    const PackModel model = MakePackModel(problem);
    Packing packing;
    packing.offsets.resize(shape.items);
    for (const PackComponent& component : model.components) {
      Fitted fitted;
      ASSERT_TRUE(FitThroughTime(model, component, fitted));
      for (uint32_t k = component.first; k < component.last; ++k) {
        packing.offsets[model.items[k].source] = fitted.offsets[k - component.first];
      }
      packing.height = std::max(packing.height, fitted.height);
    }
    EXPECT_TRUE(BruteForceHolds(problem, packing, shape.times));
  }
}

}  // namespace
}  // namespace halo
