// Forks before the command has threads. The supervisor sleeps until a signal arrives or the time is
// up. It adopts the processes that a dying worker leaves, so that it can end those too.
#include "tools/halo/guard/supervise.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "halo/base/process_state.h"
#include "tools/halo/session/session.h"
#include "tools/halo/system/child_processes.h"

namespace halo::tool {
namespace {

using GuardClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// What a worker that started ranks needs to end them in order.
constexpr milliseconds kLauncherGrace{600};
constexpr milliseconds kSweepPoll{2};
constexpr milliseconds kSweepAtMost{1000};

std::atomic<int> asked_by = 0;  // the signal that asks the command to end
void OnAsked(int number) { asked_by = number; }
void OnWorkerEnd(int) {}

// Signals arrive only while the supervisor sleeps. The worker gets the dispositions from before.
class GuardSignals {
 public:
  GuardSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t i = 0; i < kNumbers.size(); ++i) {
      struct sigaction action{};
      action.sa_handler = kNumbers[i] == SIGCHLD ? OnWorkerEnd : OnAsked;
      sigaction(kNumbers[i], nullptr, &before_[i]);
      // `nohup` and shells decide that a command survives the end of its terminal.
      if (kNumbers[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) action = before_[i];
      sigaction(kNumbers[i], &action, nullptr);
      sigaddset(&blocked, kNumbers[i]);
    }
    sigprocmask(SIG_BLOCK, &blocked, &mask_before_);
    while_asleep_ = mask_before_;
    for (const int number : kNumbers) sigdelset(&while_asleep_, number);
  }
  ~GuardSignals() { Restore(); }
  GuardSignals(const GuardSignals&) = delete;
  GuardSignals& operator=(const GuardSignals&) = delete;

  void Restore() {
    if (is_restored_) return;
    is_restored_ = true;
    for (size_t i = 0; i < kNumbers.size(); ++i) sigaction(kNumbers[i], &before_[i], nullptr);
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  void Sleep(std::optional<GuardClock::duration> at_most) const {
    timespec time{};
    if (at_most) {
      const auto left = std::max(*at_most, GuardClock::duration::zero());
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
      time.tv_sec = seconds.count();
      time.tv_nsec = std::chrono::nanoseconds(left - seconds).count();
    }
    pselect(0, nullptr, nullptr, nullptr, at_most ? &time : nullptr, &while_asleep_);
  }

 private:
  static constexpr std::array<int, 5> kNumbers = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
  std::array<struct sigaction, kNumbers.size()> before_{};
  sigset_t mask_before_{};
  sigset_t while_asleep_{};
  bool is_restored_ = false;
};

std::set<int> OwnChildren() {
  std::set<int> children;
  std::error_code failed;
  for (std::filesystem::directory_iterator it("/proc", failed), end; !failed && it != end;
       it.increment(failed)) {
    const std::string name = it->path().filename().string();
    int pid = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || stop != name.data() + name.size()) continue;
    if (ParentOf(pid) == getpid()) children.insert(pid);
  }
  return children;
}

bool HasChildren() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// Ends the processes that a worker left. Their own children become ours, so several rounds may be
// needed. A program that was replaced by this command may have had children; these are kept.
void Sweep(const std::set<int>& kept) {
  const auto begin = GuardClock::now();
  while (HasChildren() && GuardClock::now() - begin < kSweepAtMost) {
    std::set<int> left = OwnChildren();
    std::erase_if(left, [&kept](int pid) { return kept.contains(pid); });
    if (left.empty()) return;
    for (const int pid : left) kill(pid, SIGKILL);
    usleep(static_cast<useconds_t>(std::chrono::microseconds(kSweepPoll).count()));
    for (const int pid : left) waitpid(pid, nullptr, WNOHANG);
  }
}

// How many processes the system has ended so far because memory ran out.
int64_t OutOfMemoryKills() {
  std::ifstream file("/proc/vmstat");
  int64_t count = 0;
  for (std::string word; file >> word;) {
    if (word == "oom_kill" && file >> count) return count;
  }
  return 0;
}

enum class Ending : uint8_t { kByItself, kTimeout, kAsked };

class Supervision {
 public:
  Supervision(int worker, double timeout, std::string_view name, const WorkerBoard& board,
              const GuardSignals& signals)
      : worker_(worker),
        name_(name),
        timeout_(timeout),
        deadline_(board.begin + std::chrono::duration_cast<GuardClock::duration>(
                                    std::chrono::duration<double>(std::min(timeout, kLong)))),
        board_(board),
        signals_(signals),
        kills_before_(OutOfMemoryKills()) {}

  // Returns when the worker has ended.
  void Attend() {
    while (true) {
      const int pid = waitpid(worker_, &status_, WNOHANG);
      if (pid == worker_ || (pid < 0 && errno == ECHILD)) return;
      const auto now = GuardClock::now();
      if (asked_by != 0 && ending_ != Ending::kAsked) {
        ending_ = Ending::kAsked;
        if (launches()) kill(worker_, asked_by);
        kill_at_ = launches() ? now + kLauncherGrace : now;
      }
      if (timeout_ > 0 && ending_ == Ending::kByItself && !reports() && now >= HardDeadline()) {
        ending_ = Ending::kTimeout;
        kill_at_ = now;
      }
      if (kill_at_ && now >= *kill_at_) {
        kill(worker_, SIGKILL);
        kill_at_.reset();
      }
      signals_.Sleep(TimeLeft(now));
    }
  }

  [[nodiscard]] WorkerEnd Describe() const {
    WorkerEnd end;
    end.pid = worker_;
    end.was_killed = WIFSIGNALED(status_);
    if (WIFEXITED(status_)) {
      end.exit_code = WEXITSTATUS(status_);
      if (board_.out_of_memory) {
        end.problem =
            fmt::format("the system has no more memory for {}, or the limit is reached", name_);
        end.code = diag::kMemoryLimit;
        end.help = kMoreMemory;
      } else if (!reports()) {
        end.problem = fmt::format("the process of {} exited with code {} before it had a result",
                                  name_, end.exit_code);
      }
      if (!end.problem.empty()) end.exit_code = kExitUnusable;
      return end;
    }
    const int number = WTERMSIG(status_);
    const int asked = ending_ == Ending::kAsked ? asked_by.load() : number;
    end.exit_code = kExitUnusable;
    end.code = diag::kInterrupted;
    if (ending_ == Ending::kTimeout) {
      end.problem = fmt::format("{} did not finish within {} s", name_, timeout_);
      end.help = "raise --timeout, or leave it out";
    } else if (ending_ == Ending::kAsked || number == SIGINT || number == SIGTERM) {
      end.exit_code = 128 + asked;
      end.problem = fmt::format("stopped during {}", name_);
      if (asked != SIGINT) {
        end.problem += fmt::format(" by signal {} ({})", asked, strsignal(asked));
      }
    } else {
      DescribeDeath(number, end);
    }
    return end;
  }

 private:
  static constexpr double kLong = 1e9;
  static constexpr const char* kMoreMemory =
      "raise --max-memory if this machine has more, or use a smaller program";

  [[nodiscard]] bool launches() const { return board_.state == WorkerState::kLaunching; }
  [[nodiscard]] bool reports() const { return board_.state == WorkerState::kReporting; }
  [[nodiscard]] GuardClock::time_point HardDeadline() const {
    return deadline_ + (launches() ? kLauncherGrace : milliseconds(0));
  }
  [[nodiscard]] std::optional<GuardClock::duration> TimeLeft(GuardClock::time_point now) const {
    if (kill_at_) return *kill_at_ - now;
    if (timeout_ <= 0 || ending_ != Ending::kByItself || reports()) return std::nullopt;
    return HardDeadline() - now;
  }
  void DescribeDeath(int number, WorkerEnd& end) const {
    if (number == SIGKILL && OutOfMemoryKills() > kills_before_) {
      end.problem = fmt::format("the system ended {} because memory ran out", name_);
      end.code = diag::kMemoryLimit;
      end.help = kMoreMemory;
      return;
    }
    end.code = diag::kCannotEvaluate;
    end.problem = fmt::format("the process of {} was terminated by signal {} ({})", name_, number,
                              strsignal(number));
    if (number != SIGKILL) end.help = "this is a bug in halo; please report it with the module";
  }

  int worker_;
  std::string_view name_;
  double timeout_;
  GuardClock::time_point deadline_;
  const WorkerBoard& board_;
  const GuardSignals& signals_;
  int64_t kills_before_;
  int status_ = 0;
  Ending ending_ = Ending::kByItself;
  std::optional<GuardClock::time_point> kill_at_;
};

}  // namespace

std::shared_ptr<WorkerBoard> WorkerBoard::Create() {
  void* memory =
      mmap(nullptr, sizeof(WorkerBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return {new (memory) WorkerBoard, [](WorkerBoard* board) { munmap(board, sizeof *board); }};
}

std::optional<WorkerEnd> Supervise(double timeout, std::string_view name,
                                   const WorkerBoard& board) {
  std::fflush(stdout);  // or both processes would print it
  asked_by = 0;
  GuardSignals signals;
  const std::set<int> kept = HasChildren() ? OwnChildren() : std::set<int>();
  AdoptOrphans();
  const int supervisor = getpid();
  const int worker = fork();
  if (worker == 0) {
    signals.Restore();
    EndWithParent(SIGKILL);
    if (getppid() != supervisor) _exit(kExitUnusable);
    return std::nullopt;
  }
  if (worker < 0) {
    return WorkerEnd{
        .exit_code = kExitUnusable,
        .problem = fmt::format("no process can be started for the program: {}", strerror(errno))};
  }
  Supervision supervision(worker, timeout, name, board, signals);
  supervision.Attend();
  Sweep(kept);
  return supervision.Describe();
}

}  // namespace halo::tool
