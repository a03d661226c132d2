// How a worker ends and what its supervisor says about it. The supervisor is a child process of the
// test, because it forks and adopts what its worker leaves.
#include "tools/halo/guard/supervise.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tools/halo/guard/memory_guard.h"

namespace halo::tool {
namespace {

// What the supervisor found, in memory that all processes share.
struct Found {
  std::atomic<int> worker = 0;
  std::atomic<int> left_behind = 0;  // a process that the worker started
  int exit_code = -1;
  bool was_killed = false;
  bool out_of_memory = false;
  char problem[200] = {};
};

class SuperviseTest : public testing::Test {
 protected:
  // Supervises `work`; `meanwhile` is called here with the supervisor's pid.
  void Run(double timeout, const std::function<void(WorkerBoard&)>& work,
           const std::function<void(int)>& meanwhile = {}) {
    const auto begin = std::chrono::steady_clock::now();
    const int supervisor = fork();
    if (supervisor == 0) {
      const std::shared_ptr<WorkerBoard> board = WorkerBoard::Create();
      const std::optional<WorkerEnd> end = Supervise(timeout, "the run", *board);
      if (!end) {
        found_->worker = getpid();
        work(*board);
        _exit(0);
      }
      found_->exit_code = end->exit_code;
      found_->was_killed = end->was_killed;
      found_->out_of_memory = end->code.text == DiagCode(diag::kMemoryLimit).text;
      std::strncpy(found_->problem, end->problem.c_str(), sizeof found_->problem - 1);
      _exit(0);
    }
    if (meanwhile) meanwhile(supervisor);
    int status = 0;
    ASSERT_EQ(waitpid(supervisor, &status, 0), supervisor);
    ASSERT_EQ(status, 0);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    seconds_ = taken.count();
  }
  void WaitForWorker() const {
    while (found_->worker == 0) usleep(1000);
  }
  [[nodiscard]] std::string problem() const { return found_->problem; }

  Found* found_ =
      new (mmap(nullptr, sizeof(Found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
          Found;
  double seconds_ = 0;
};

[[noreturn]] void WorkForever() {
  for (volatile int64_t i = 0;; i = i + 1) {
  }
}

TEST_F(SuperviseTest, PassesOnTheExitCodeOfAWorkerThatReported) {
  Run(0, [](WorkerBoard& board) {
    board.state = WorkerState::kReporting;
    _exit(1);
  });
  EXPECT_EQ(found_->exit_code, 1);
  EXPECT_FALSE(found_->was_killed);
  EXPECT_EQ(problem(), "");
}

TEST_F(SuperviseTest, SaysThatAWorkerExitedWithoutAResult) {
  Run(0, [](WorkerBoard&) { _exit(7); });
  EXPECT_EQ(found_->exit_code, 2);
  EXPECT_NE(problem().find("exited with code 7"), std::string::npos) << problem();
}

TEST_F(SuperviseTest, EndsAWorkerWhenItsTimeIsUp) {
  Run(0.2, [](WorkerBoard&) { WorkForever(); });
  EXPECT_EQ(found_->exit_code, 2);
  EXPECT_TRUE(found_->was_killed);
  EXPECT_NE(problem().find("did not finish within 0.2 s"), std::string::npos) << problem();
  EXPECT_LT(seconds_, 1.2);
}

TEST_F(SuperviseTest, DoesNotEndAWorkerThatReports) {
  Run(0.1, [](WorkerBoard& board) {
    board.state = WorkerState::kReporting;
    usleep(300'000);
  });
  EXPECT_EQ(found_->exit_code, 0);
  EXPECT_EQ(problem(), "");
}

TEST_F(SuperviseTest, EndsAtOnceWhenInterrupted) {
  Run(
      0, [](WorkerBoard&) { WorkForever(); },
      [&](int supervisor) {
        WaitForWorker();
        kill(supervisor, SIGINT);
      });
  EXPECT_EQ(found_->exit_code, 128 + SIGINT);
  EXPECT_EQ(problem(), "stopped during the run");
  EXPECT_LT(seconds_, 1);
}

TEST_F(SuperviseTest, ReportsACrash) {
  Run(0, [](WorkerBoard&) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  });
  EXPECT_EQ(found_->exit_code, 2);
  EXPECT_NE(problem().find("signal 11"), std::string::npos) << problem();
}

TEST_F(SuperviseTest, EndsWhatTheWorkerStarted) {
  Run(0, [&](WorkerBoard& board) {
    const int child = fork();
    if (child == 0) {
      setsid();
      while (true) sleep(60);
    }
    found_->left_behind = child;
    board.state = WorkerState::kReporting;
  });
  ASSERT_GT(found_->left_behind, 0);
  EXPECT_EQ(kill(found_->left_behind, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HALO_TEST_HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(HALO_TEST_HAS_ASAN)
constexpr bool kHasAddressSanitizer = true;
#else
constexpr bool kHasAddressSanitizer = false;
#endif

WorkerBoard* board_in_test = nullptr;

TEST_F(SuperviseTest, ReportsThatMemoryRanOut) {
  if (kHasAddressSanitizer) GTEST_SKIP() << "AddressSanitizer reserves more memory than that";
  Run(0, [](WorkerBoard& board) {
    board_in_test = &board;
    GuardMemory(int64_t{1} << 20, [] { board_in_test->out_of_memory = true; });
    const size_t size = size_t{1} << 32;
    volatile char* block = new char[size];  // the command itself may take 2 GiB
    block[0] = 1;
    _exit(0);
  });
  EXPECT_EQ(found_->exit_code, 2);
  EXPECT_TRUE(found_->out_of_memory);
}

}  // namespace
}  // namespace halo::tool
