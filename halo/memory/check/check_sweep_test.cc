// The sweep against all pairs, on random rectangles of bytes and time.
#include "halo/memory/check/check_sweep.h"

#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace halo::check {
namespace {

using Pairs = std::set<std::pair<uint32_t, uint32_t>>;

// In this test an even value may take over the memory of a dying one, at the same offset.
bool MayTouch(const Occupied& dying, const Occupied& born) {
  return dying.begin == born.begin && born.value.value % 2 == 0;
}

Pairs AllPairs(const std::vector<Occupied>& items) {
  Pairs found;
  for (const Occupied& a : items) {
    for (const Occupied& b : items) {
      if (a.value >= b.value || a.group == b.group || a.allocation != b.allocation) continue;
      if (a.begin >= b.end || b.begin >= a.end) continue;
      if (a.live.end < b.live.start || b.live.end < a.live.start) continue;
      const bool a_first = a.live.end == b.live.start && a.live.start < b.live.start;
      const bool b_first = b.live.end == a.live.start && b.live.start < a.live.start;
      if ((a_first && MayTouch(a, b)) || (b_first && MayTouch(b, a))) continue;
      found.emplace(a.value.value, b.value.value);
    }
  }
  return found;
}

TEST(Sweep, FindsTheClashesOfAllPairs) {
  std::mt19937 random(1);
  const auto below = [&](int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<Occupied> items;
    const int64_t count = 1 + below(30);
    std::vector<int64_t> group_begins;
    for (int64_t i = 0; i < count; ++i) group_begins.push_back(below(10));
    for (int64_t i = 0; i < count; ++i) {
      const auto group = static_cast<uint32_t>(below(count));
      const int64_t begin = group_begins[group];
      const int64_t start = below(12);
      items.push_back({ValueId(static_cast<uint32_t>(i)),
                       group,
                       AllocationId(group % 2),
                       begin,
                       begin + 1 + below(5),
                       {start, start + below(6)}});
    }
    Pairs found;
    const auto clash = [&](const Occupied& a, const Occupied& b) {
      const auto pair = std::minmax(a.value.value, b.value.value);
      EXPECT_TRUE(found.emplace(pair.first, pair.second).second) << "told twice";
    };
    EXPECT_TRUE(Sweep(items, MayTouch, clash).counted_all);
    EXPECT_EQ(found, AllPairs(items)) << "round " << round;
  }
}

TEST(Sweep, GivesUpOnMoreClashesThanAnyoneReads) {
  std::vector<Occupied> items;
  for (uint32_t i = 0; i < 6000; ++i) {
    items.push_back({ValueId(i), i, AllocationId(0U), 0, 8, {0, 9}});
  }
  size_t clashes = 0;
  const SweepResult result =
      Sweep(items, MayTouch, [&](const Occupied&, const Occupied&) { ++clashes; });
  EXPECT_FALSE(result.counted_all);
  EXPECT_GT(clashes, 1000000U);
}

}  // namespace
}  // namespace halo::check
