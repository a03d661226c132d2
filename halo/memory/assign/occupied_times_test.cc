// Both indexes against a comparison with every value, on random live ranges of one point and more.
#include "halo/memory/assign/occupied_times.h"

#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "halo/memory/assign/reusable_allocations.h"

namespace halo {
namespace {

constexpr int64_t kProgramEnd = 40;

bool Overlap(TimeSpan a, TimeSpan b) { return a.start < b.end && b.start < a.end; }

TEST(OccupiedTimesTest, FindsWhatAComparisonWithEachValueFinds) {
  std::mt19937 random(7);
  const auto range = [&] {
    const auto start = static_cast<int64_t>(random() % kProgramEnd);
    return TimeSpan{start, start + static_cast<int64_t>(random() % 4)};
  };
  int overlaps = 0, touches = 0;
  for (int round = 0; round < 200; ++round) {
    OccupiedTimes occupied;
    std::vector<TimeSpan> added;
    for (int step = 0; step < 12; ++step) {
      const TimeSpan asked = range();
      bool overlap = false;
      std::vector<bool> touching(added.size(), false), found(added.size(), false);
      for (size_t i = 0; i < added.size(); ++i) {
        overlap = overlap || Overlap(asked, added[i]);
        touching[i] = added[i].start == asked.end || added[i].end == asked.start;
      }
      ASSERT_EQ(occupied.Overlaps(asked), overlap);
      ASSERT_FALSE(occupied.AnyTouching(asked, [&](FlowId value) {
        found[value.index()] = true;
        return false;
      }));
      ASSERT_EQ(found, touching);
      overlaps += overlap ? 1 : 0;
      touches += found != std::vector<bool>(added.size(), false) ? 1 : 0;
      const TimeSpan next = range();
      occupied.Add(FlowId(added.size()), next);
      added.push_back(next);
    }
  }
  EXPECT_GT(overlaps, 100);
  EXPECT_GT(touches, 100);
}

TEST(ReusableAllocationsTest, LeavesOutOnlyAllocationsThatCannotHoldTheRange) {
  std::mt19937 random(11);
  const auto time = [&] { return static_cast<int64_t>(random() % kProgramEnd); };
  int left_out = 0, kept = 0;
  for (int round = 0; round < 50; ++round) {
    ReusableAllocations reusable;
    std::vector<std::vector<TimeSpan>> values;
    std::vector<FreeWindow> windows;
    const auto put = [&](size_t at, TimeSpan range) {
      values[at].push_back(range);
      windows[at].Take(range, kProgramEnd);
    };
    for (uint32_t i = 0; i < 40; ++i) {
      values.emplace_back();
      windows.emplace_back();
      if (random() % 2 == 0) put(i, {0, time()});
      if (random() % 2 == 0) put(i, {time(), kProgramEnd});
      reusable.Add(3 * i, windows[i]);
      const size_t changed = random() % values.size();
      put(changed, random() % 2 == 0 ? TimeSpan{0, time()} : TimeSpan{time(), kProgramEnd});
      reusable.Update(static_cast<uint32_t>(3 * changed), windows[changed]);
      const int64_t start = time();
      const TimeSpan asked{start, start + static_cast<int64_t>(random() % 9)};
      std::vector<uint32_t> expected, found;
      for (size_t k = values.size(); k-- > 0;) {
        bool overlap = false;
        for (const TimeSpan& value : values[k]) overlap = overlap || Overlap(asked, value);
        if (!overlap) expected.push_back(static_cast<uint32_t>(3 * k));
      }
      NeededWindow needed(kProgramEnd);
      needed.Add(asked);
      for (auto next = reusable.Newest(needed.span()); next;
           next = reusable.NewestBefore(*next, needed.span())) {
        found.push_back(*next);
      }
      ASSERT_EQ(found, expected);
      kept += static_cast<int>(found.size());
      left_out += static_cast<int>(values.size() - found.size());
    }
  }
  EXPECT_GT(kept, 100);
  EXPECT_GT(left_out, 100);
}

}  // namespace
}  // namespace halo
