// Tests what is read about this process and about one that has ended.
#include "halo/base/process_state.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(ProcessState, OfThisProcess) {
  EXPECT_EQ(ProcessState(getpid()), 'R');
  EXPECT_EQ(ParentOf(getpid()), getppid());
}

TEST(ProcessState, OfAProcessThatHasEnded) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(ProcessState(child), 'X');  // not waited for yet
  EXPECT_EQ(ParentOf(child), getpid());
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(ProcessState(child), 'X');
  EXPECT_EQ(ParentOf(child), -1);
}

}  // namespace
}  // namespace halo
