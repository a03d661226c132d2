// Tests the diagnosis of slots as ranks leave them. The processes are this one, which is alive, and
// a child that has ended.
#include "tools/halo/ranks/rank_watch.h"

#include <array>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/ir/ir_diagnostics.h"

namespace halo::tool {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

int EndedProcess() {
  const int child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

class RankWatchTest : public testing::Test {
 protected:
  RankWatchTest() {
    for (RankSlot& slot : slots_) {
      slot.pid = getpid();
      slot.EnterStep(RankState::kComputing, "dot.4", 7);
    }
  }
  void End(size_t rank, RankState state, int64_t ago = 0) {
    slots_[rank].Enter(state);
    slots_[rank].since = RankSlot::Now() - ago;
  }
  void ExpectBlamed(const std::optional<RankVerdict>& verdict, int64_t rank,
                    const std::string& words) {
    ASSERT_TRUE(verdict.has_value());
    EXPECT_EQ(verdict->culprit, rank);
    EXPECT_NE(verdict->problem.find(words), std::string::npos) << verdict->problem;
  }

  std::array<RankSlot, 3> slots_;
  RankWatch watch_{slots_};
};

TEST_F(RankWatchTest, RanksThatComputeAreLeftAlone) {
  EXPECT_FALSE(watch_.Poll().has_value());
  EXPECT_FALSE(watch_.AllDone());
}

TEST_F(RankWatchTest, RanksOfOtherHostsAreNotWaitedForForever) {
  RankWatch hosts(slots_, true);
  slots_[2].pid = 0;
  End(0, RankState::kJoining, 50 * kSecond);
  EXPECT_FALSE(hosts.Poll().has_value());
  End(0, RankState::kJoining, 70 * kSecond);
  // Ranks of this host are seen when they are stopped.
  EXPECT_FALSE(watch_.Poll().has_value());
  const auto verdict = hosts.Poll();
  ExpectBlamed(verdict, -1, "rank 0 has waited for 70 s until ranks of other hosts join it");
}

TEST_F(RankWatchTest, ADeadRankIsNamedWithItsInstruction) {
  slots_[1].pid = EndedProcess();
  const auto verdict = watch_.Poll();
  ExpectBlamed(verdict, 1, "was killed");
  ExpectBlamed(verdict, 1, "at %dot.4, computing");
  slots_[1].signal = 11;
  ExpectBlamed(watch_.Poll(), 1, "was terminated by signal 11");
}

TEST_F(RankWatchTest, ARankThatIsDoneMayBeGone) {
  slots_[1].pid = EndedProcess();
  End(1, RankState::kDone);
  EXPECT_FALSE(watch_.Poll().has_value());
}

TEST_F(RankWatchTest, OthersAreGivenTimeToHearOfAFailure) {
  Diagnostic why;
  why.code = diag::kTooLarge;
  why.message = "too much of it";
  slots_[2].FailWith(why);
  slots_[0].pid = EndedProcess();  // ended because of it, so not to blame
  EXPECT_FALSE(watch_.Poll().has_value());
  slots_[2].since = RankSlot::Now() - 4 * kSecond;
  const auto verdict = watch_.Poll();
  ExpectBlamed(verdict, 2, "rank 2: too much of it");
  EXPECT_EQ(verdict->code, diag::kTooLarge);
}

TEST_F(RankWatchTest, TheFirstRankThatWasToldToEndIsNamed) {
  End(0, RankState::kTold);
  End(2, RankState::kTold, kSecond);
  ExpectBlamed(watch_.Poll(), 2, "received SIGTERM");
}

TEST_F(RankWatchTest, ARankThatIsToldToEndStaysDone) {
  for (RankSlot& slot : slots_) {
    slot.Enter(RankState::kDone);
    slot.EnterTold();
  }
  EXPECT_FALSE(watch_.Poll().has_value());
  EXPECT_TRUE(watch_.AllDone());
}

TEST_F(RankWatchTest, AFailedRankThatIsToldToEndKeepsItsReason) {
  Diagnostic why;
  why.code = diag::kTooLarge;
  why.message = "too much of it";
  slots_[1].FailWith(why);
  slots_[1].EnterTold();
  slots_[0].EnterTold();  // because of it
  EXPECT_FALSE(watch_.Poll().has_value());
  ExpectBlamed(watch_.Unfinished(), 1, "rank 1: too much of it");
  EXPECT_TRUE(slots_[0].has_said.load());
}

TEST_F(RankWatchTest, TheOneThatOthersWaitForIsTooSlow) {
  End(0, RankState::kCommunicating);
  End(1, RankState::kComputing, 9 * kSecond);
  End(2, RankState::kComputing, kSecond);
  ExpectBlamed(watch_.TooLong(5), 1, "the run did not finish within 5 s: rank 1 is at %dot.4");
  for (size_t i = 0; i < slots_.size(); ++i) End(i, RankState::kCommunicating);
  ExpectBlamed(watch_.TooLong(5), -1, "all ranks wait for each other; rank 0: at %dot.4");
}

TEST_F(RankWatchTest, OfThoseThatEndedTheUnfinishedIsNamed) {
  for (size_t i = 0; i < slots_.size(); ++i) End(i, RankState::kDone);
  EXPECT_TRUE(watch_.AllDone());
  EXPECT_FALSE(watch_.Unfinished().has_value());
  slots_[1].Enter(RankState::kCollecting);
  ExpectBlamed(watch_.Unfinished(), 1, "sending its results");
}

// Ranks of other hosts write no slot here, and mpirun ends those of this host when one there is
// gone.
TEST_F(RankWatchTest, SlotsOfOtherHostsStayEmpty) {
  RankWatch watch(slots_, /*has_other_hosts=*/true);
  slots_[2].pid = 0;
  slots_[2].Enter(RankState::kAbsent);
  slots_[0].EnterTold();
  EXPECT_FALSE(watch.Poll().has_value());
  EXPECT_THAT(watch.TooLong(5).problem, testing::HasSubstr("rank 2: on another host"));
  for (size_t i = 0; i < 2; ++i) End(i, RankState::kDone);
  EXPECT_TRUE(watch.AllDone());
  EXPECT_FALSE(watch.Unfinished().has_value());
}

}  // namespace
}  // namespace halo::tool
