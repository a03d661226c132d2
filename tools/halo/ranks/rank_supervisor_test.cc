// How a rank that MPICH's mpiexec started ends. The supervisor is a child process of the test,
// because it forks.
#include "tools/halo/ranks/rank_supervisor.h"

#include <chrono>
#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace halo::tool {
namespace {

struct RankEnd {
  int exit_code = -1;
  double seconds = 0;
};

RankEnd RunRank(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t rank = fork();
  if (rank == 0) {
    const std::optional<int> code = SuperviseRank();
    if (code) _exit(*code);
    work();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(rank, &status, 0), rank);
  EXPECT_TRUE(WIFEXITED(status));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return {WEXITSTATUS(status), taken.count()};
}

TEST(RankSupervisorTest, PassesTheExitCodeOn) {
  EXPECT_EQ(RunRank([] {}).exit_code, 0);
  EXPECT_EQ(RunRank([] { _exit(2); }).exit_code, 2);
}

TEST(RankSupervisorTest, OutlivesAWorkerThatIsKilled) {
  const RankEnd end = RunRank([] { raise(SIGKILL); });
  EXPECT_EQ(end.exit_code, 128 + SIGKILL);
  EXPECT_GE(end.seconds, 2.9);  // the other ranks need 2.5 s at most
}

TEST(RankSupervisorTest, NewsOfALostRankEndsNeitherProcess) {
  const RankEnd end = RunRank([] {
    kill(getppid(), SIGUSR1);
    raise(SIGUSR1);
  });
  EXPECT_EQ(end.exit_code, 0);
}

}  // namespace
}  // namespace halo::tool
