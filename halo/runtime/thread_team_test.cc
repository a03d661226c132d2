// Loops of any size cover their range once, with teams of any size, and use the same threads.
#include "halo/runtime/thread_team.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

extern "C" int omp_get_max_threads();

namespace halo {
namespace {

TEST(ThreadTeam, EveryItemOnce) {
  const int before = TeamSize();
  for (const int threads : {1, 3, 4}) {
    SetTeamSize(threads);
    for (const int64_t count : {0, 1, 2, 3, 5, 100, 1001}) {
      for (const int64_t grain : {1, 2, 40}) {
        std::vector<int> times(static_cast<size_t>(count));
        TeamFor(count, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++times[static_cast<size_t>(i)];
        });
        EXPECT_EQ(std::count(times.begin(), times.end(), 1), count) << threads << " " << grain;
      }
    }
  }
  SetTeamSize(before);
}

// A team that shrinks and grows again would end threads and start others.
TEST(ThreadTeam, SmallAndLargeLoopsShareTheirThreads) {
  const int before = TeamSize();
  constexpr int kThreads = 4;
  SetTeamSize(kThreads);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  for (int round = 0; round < 50; ++round) {
    for (const int64_t count : {2, kThreads}) {
      TeamFor(count, 1, [&](int64_t, int64_t) {
        const std::scoped_lock lock(mutex);
        seen.insert(std::this_thread::get_id());
      });
    }
  }
  EXPECT_LE(seen.size(), static_cast<size_t>(kThreads));
  SetTeamSize(before);
}

TEST(ThreadTeam, OneThreadScopeLimitsLibrariesAndKeepsTheTeam) {
  const int before = TeamSize();
  constexpr int kThreads = 3;
  SetTeamSize(kThreads);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  for (int round = 0; round < 20; ++round) {
    TeamFor(kThreads, 1, [&](int64_t, int64_t) {
      const std::scoped_lock lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    const OneThreadScope none(false);
    EXPECT_EQ(omp_get_max_threads(), kThreads);
    const OneThreadScope alone(true);
    EXPECT_EQ(omp_get_max_threads(), 1);
  }
  EXPECT_EQ(omp_get_max_threads(), kThreads);
  EXPECT_LE(seen.size(), static_cast<size_t>(kThreads));
  SetTeamSize(before);
}

}  // namespace
}  // namespace halo
