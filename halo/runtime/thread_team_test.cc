// Loops of any size cover their range once, with teams of any size, and use the same threads.
#include "halo/runtime/thread_team.h"

#include <algorithm>
#include <atomic>
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
        for (const int64_t chunks : {1, 4}) {
          std::ranges::fill(times, 0);
          TeamFor(
              count, grain,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) ++times[static_cast<size_t>(i)];
              },
              chunks);
          EXPECT_EQ(std::ranges::count(times, 1), count) << threads << " " << grain;
        }
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

// Short loops one after another, so that threads come late to many of them.
TEST(ThreadTeam, LateThreadsSeeTheNextLoop) {
  const int before = TeamSize();
  SetTeamSize(5);
  for (int64_t round = 0; round < 20000; ++round) {
    std::atomic<int64_t> sum = 0;
    const int64_t count = 2 + round % 9;
    TeamFor(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum += i + round;
    });
    ASSERT_EQ(sum, count * (count - 1) / 2 + count * round);
  }
  SetTeamSize(before);
}

// Loops inside a loop, and of another thread meanwhile, neither wait nor need the team.
TEST(ThreadTeam, LoopsInsideAndBeside) {
  const int before = TeamSize();
  SetTeamSize(3);
  std::atomic<int> inner = 0;
  std::atomic<int> beside = 0;
  TeamFor(3, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      TeamFor(100, 1,
              [&](int64_t first, int64_t last) { inner += static_cast<int>(last - first); });
    }
    if (begin > 0) return;
    std::thread([&] {
      TeamFor(50, 1,
              [&](int64_t first, int64_t last) { beside += static_cast<int>(last - first); });
    }).join();
  });
  EXPECT_EQ(inner, 300);
  EXPECT_EQ(beside, 50);
  SetTeamSize(before);
}

TEST(ThreadTeam, AScopeLimitsLibrariesAndKeepsTheTeam) {
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
    const LibraryThreadsScope all(false);
    EXPECT_EQ(omp_get_max_threads(), kThreads);
    const LibraryThreadsScope alone(true);
    EXPECT_EQ(omp_get_max_threads(), 1);
  }
  EXPECT_EQ(omp_get_max_threads(), kThreads);
  EXPECT_LE(seen.size(), static_cast<size_t>(kThreads));
  SetTeamSize(before);
}

// OpenMP keeps the number for each thread that calls; a new thread has the initial one.
TEST(ThreadTeam, LibrariesThatOtherThreadsCallAreLimitedToo) {
  const int before = TeamSize();
  const int all = omp_get_max_threads();
  SetTeamSize(all + 1);
  int inside = 0, after = 0, initially = 0;
  std::thread([&] {
    initially = omp_get_max_threads();
    {
      const LibraryThreadsScope threads(false);
      inside = omp_get_max_threads();
    }
    after = omp_get_max_threads();
  }).join();
  EXPECT_EQ(inside, all + 1);
  EXPECT_EQ(after, initially);
  SetTeamSize(before);
}

// ThreadSanitizer sees it if the size is not safe to read meanwhile.
TEST(ThreadTeam, TheSizeIsSetWhileOthersAsk) {
  const int before = TeamSize();
  std::atomic<bool> is_done = false;
  std::atomic<int64_t> sum = 0;
  SetTeamSize(1);
  std::thread asks([&] {
    while (!is_done) {
      TeamFor(8, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
      EXPECT_GE(TeamSize(), 1);
      EXPECT_LE(TeamSize(), 4);
    }
  });
  for (int round = 0; round < 2000; ++round) SetTeamSize(1 + round % 4);
  is_done = true;
  asks.join();
  EXPECT_EQ(sum % 8, 0);
  SetTeamSize(before);
}

}  // namespace
}  // namespace halo
