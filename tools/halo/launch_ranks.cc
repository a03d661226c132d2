// The launcher: mpirun as a child in a process group of its own, its complaints kept back, the
// ranks' slots looked at many times a second.
#include "tools/halo/launch_ranks.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "halo/base/human_size.h"
#include "tools/halo/rank_page.h"

namespace halo::tool {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLook{20};
constexpr milliseconds kStoppedLong{1000};  // a stop this long is no accident of scheduling
constexpr milliseconds kEndPolitely{2000};
constexpr milliseconds kOrphans{1500};
constexpr std::chrono::nanoseconds kToHear{3'000'000'000};
constexpr int kTicksPerStatus = 25;

std::atomic<int> ended_by = 0;  // the signal that asks the launcher itself to end
void OnSignal(int number) { ended_by = number; }

// Ctrl-C and its like reach the launcher, which ends everything in order.
class SignalGuard {
 public:
  SignalGuard() {
    ended_by = 0;
    struct sigaction action{};
    action.sa_handler = OnSignal;
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~SignalGuard() {
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kSignals)] = {};
};

std::string FindProgram(const char* name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {};
}

// A folder for all files that MPI makes, so that they can be removed whoever died.
class Folder {
 public:
  Folder() {
    for (const char* base : {"/dev/shm", "/tmp"}) {
      std::string name = fmt::format("{}/halo-ranks-{}-XXXXXX", base, getpid());
      if (mkdtemp(name.data()) == nullptr) continue;
      path_ = name;
      return;
    }
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What this process was called with, for the ranks to be called alike.
std::vector<std::string> OwnArguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

// 'R', 'S', 'T', ...; 'X' if there is no such process any more.
char ProcessState(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return 'X';
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= line.size()) return 'X';
  return line[name_end + 2] == 'Z' ? 'X' : line[name_end + 2];
}

std::string_view TextOf(RankState state) {
  switch (state) {
    case RankState::kAbsent: return "starting";
    case RankState::kReading: return "reading its inputs";
    case RankState::kCompiling: return "compiling";
    case RankState::kComputing: return "computing";
    case RankState::kCommunicating: return "waiting for other ranks";
    case RankState::kCollecting: return "handing over its results";
    case RankState::kDone: return "done";
    case RankState::kFailed: return "failed";
    case RankState::kTold: return "ended";
  }
  return "";
}

bool HasEnded(RankState state) {
  return state == RankState::kDone || state == RankState::kFailed || state == RankState::kTold;
}

// "at %dot.4, computing for 2.1 s"
std::string WhereIs(const RankSlot& slot) {
  const RankState state = slot.state.load();
  const double seconds = static_cast<double>(RankSlot::Now() - slot.since.load()) * 1e-9;
  const std::string instruction = slot.Instruction();
  const bool in_program = state == RankState::kComputing || state == RankState::kCommunicating;
  const std::string at = in_program && !instruction.empty() ? "at %" + instruction + ", " : "";
  return fmt::format("{}{} for {:.1f} s", at, TextOf(state), std::max(seconds, 0.0));
}

class Launcher {
 public:
  Launcher(const LaunchRequest& request, Session& session)
      : request_(request), session_(session), page_(RankPage::Create(request.ranks)) {}
  ~Launcher() { End(); }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  LaunchOutcome Run() {
    const std::string mpirun = FindProgram("mpirun");
    if (mpirun.empty()) return {.problem = "there is no mpirun to start its ranks with"};
    if (page_ == nullptr || folder_.path().empty()) {
      return {.problem = "there is no memory to watch its ranks by"};
    }
    const SignalGuard signals;
    if (!Start(mpirun)) return {.problem = "mpirun could not be started"};
    outcome_.started = true;
    stopped_since_.resize(static_cast<size_t>(request_.ranks));
    const auto begin = Clock::now();
    for (int tick = 0; !Finished(); ++tick) {
      std::this_thread::sleep_for(kLook);
      ReadComplaints();
      if (tick % kTicksPerStatus == 0) ShowStatus();
      if (ended_by != 0) {
        outcome_.exit_code = ended_by == SIGINT ? kExitInterrupted : 128 + ended_by;
        outcome_.problem = "it was interrupted";
        break;
      }
      if (LooksWrong() || TakesTooLong(Clock::now() - begin)) break;
    }
    session_.console.Status("");
    End();
    outcome_.first_pid = slots()[0].pid.load();
    Conclude();
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] std::vector<std::string> CommandLine(const std::string& mpirun) const {
    std::error_code failed;
    const std::string own = std::filesystem::read_symlink("/proc/self/exe", failed).string();
    std::vector<std::string> words = {mpirun, "--quiet", "--oversubscribe", "--bind-to", "none"};
    if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
    const auto set = [&](std::string_view name, std::string_view value) {
      words.insert(words.end(), {"--mca", std::string(name), std::string(value)});
    };
    // Ranks that wait leave the core to those that compute; files go where they can be found.
    set("mpi_yield_when_idle", "1");
    set("orte_tmpdir_base", folder_.path());
    set("btl_vader_backing_directory", folder_.path());
    set("osc_sm_backing_directory", folder_.path());
    set("osc_rdma_backing_directory", folder_.path());
    words.insert(words.end(), {"-n", std::to_string(request_.ranks), own});
    const std::vector<std::string> arguments = OwnArguments();
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }

  bool Start(const std::string& mpirun) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const std::vector<std::string> words = CommandLine(mpirun);
    std::vector<char*> argv;
    for (const std::string& word : words)
      argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT
    argv.push_back(nullptr);
    const std::string page = std::string(kRankPageVariable) + "=" + page_->path();
    const std::string folder = std::string(kRankFolderVariable) + "=" + folder_.path();
    const int parent = getpid();
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    child_ = fork();
    if (child_ == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent) _exit(127);
      dup2(nothing, STDIN_FILENO);
      dup2(ends[1], STDERR_FILENO);
      putenv(const_cast<char*>(page.c_str()));    // NOLINT: it is a copy of this process
      putenv(const_cast<char*>(folder.c_str()));  // NOLINT
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(nothing);
    close(ends[1]);
    complaints_ = ends[0];
    fcntl(complaints_, F_SETFL, O_NONBLOCK);
    return child_ > 0;
  }

  bool Finished() {
    if (child_ <= 0) return true;
    int status = 0;
    if (waitpid(child_, &status, WNOHANG) != child_) return false;
    child_ = 0;
    status_ = status;
    return true;
  }

  // What ranks say goes on; what mpirun says stands between lines of dashes and is kept.
  void ReadComplaints() {
    char bytes[4096];
    ssize_t count = 0;
    while (complaints_ >= 0 && (count = read(complaints_, bytes, sizeof bytes)) > 0) {
      unread_.append(bytes, static_cast<size_t>(count));
    }
    size_t end = 0;
    while ((end = unread_.find('\n')) != std::string::npos) {
      const std::string line = unread_.substr(0, end + 1);
      unread_.erase(0, end + 1);
      if (line.starts_with("--------------------")) {
        in_banner_ = !in_banner_;
      } else if (in_banner_) {
        said_by_mpirun_ += line;
      } else {
        session_.console.Status("");
        session_.console.Err(line);
      }
    }
  }

  void ShowStatus() {
    size_t computing = 0;
    size_t waiting = 0;
    int64_t least = INT64_MAX;
    size_t last = 0;
    for (size_t i = 0; i < slots().size(); ++i) {
      const RankState state = slots()[i].state.load();
      computing += state == RankState::kComputing ? 1 : 0;
      waiting += state == RankState::kCommunicating ? 1 : 0;
      if (slots()[i].steps.load() < least) {
        least = slots()[i].steps.load();
        last = i;
      }
    }
    session_.console.Status(fmt::format("{} ranks: {} computing, {} waiting; rank {} is last, {}",
                                        slots().size(), computing, waiting, last,
                                        WhereIs(slots()[last])));
  }

  // True, with the culprit found, if a rank has failed, is gone or stopped.
  bool LooksWrong() { return FindFailed() || FindGone() || FindTold(); }

  // The others hear of a failure and end by themselves; those that do not are not waited for.
  bool FindFailed() {
    for (size_t i = 0; i < slots().size(); ++i) {
      const RankSlot& slot = slots()[i];
      if (slot.state.load() != RankState::kFailed) continue;
      has_failed_ = true;
      if (RankSlot::Now() - slot.since.load() < kToHear.count()) return false;
      TakeReason(i);
      return true;
    }
    return false;
  }

  bool FindGone() {
    if (has_failed_) return false;
    for (size_t i = 0; i < slots().size(); ++i) {
      const RankSlot& slot = slots()[i];
      const int pid = slot.pid.load();
      if (pid == 0 || HasEnded(slot.state.load())) continue;
      const char state = ProcessState(pid);
      if (state == 'X' && !HasEnded(slot.state.load())) {
        Blame(i, Death(slot));
        return true;
      }
      if (state != 'T') {
        stopped_since_[i].reset();
      } else if (!stopped_since_[i]) {
        stopped_since_[i] = Clock::now();
      } else if (Clock::now() - *stopped_since_[i] > kStoppedLong) {
        Blame(i, "was stopped (SIGSTOP) and does not go on");
        return true;
      }
    }
    return false;
  }

  // Nobody but the launcher tells ranks to end, unless one was told by somebody else.
  bool FindTold() {
    std::optional<size_t> first;
    for (size_t i = 0; i < slots().size(); ++i) {
      if (slots()[i].state.load() != RankState::kTold) continue;
      if (!first || slots()[i].since.load() < slots()[*first].since.load()) first = i;
    }
    if (!first || has_failed_) return false;
    Blame(*first, "was told to end (SIGTERM)");
    return true;
  }

  static std::string Death(const RankSlot& slot) {
    const int number = slot.signal.load();
    if (number == 0) return "was killed, by somebody or by the system for want of memory";
    return fmt::format("fell to signal {} ({})", number, strsignal(number));
  }

  // What a failed rank says of itself.
  void TakeReason(size_t rank) {
    const RankSlot& slot = slots()[rank];
    outcome_.culprit = static_cast<int64_t>(rank);
    outcome_.code = slot.code.load();
    outcome_.problem = fmt::format("rank {}: {}", rank, slot.Reason());
  }

  void Blame(size_t rank, std::string_view what) {
    const RankSlot& slot = slots()[rank];
    outcome_.culprit = static_cast<int64_t>(rank);
    outcome_.problem = fmt::format("rank {} (process {}) {}: it was {}", rank, slot.pid.load(),
                                   what, WhereIs(slot));
  }

  // Whoever computes while others wait for it is named; if all wait, all are.
  bool TakesTooLong(Clock::duration elapsed) {
    if (request_.timeout <= 0) return false;
    if (std::chrono::duration<double>(elapsed).count() < request_.timeout) return false;
    std::optional<size_t> slowest;
    std::string all;
    for (size_t i = 0; i < slots().size(); ++i) {
      const RankSlot& slot = slots()[i];
      const RankState state = slot.state.load();
      if (i < 16) all += fmt::format("\n  rank {}: {}", i, WhereIs(slot));
      if (state == RankState::kCommunicating || HasEnded(state)) continue;
      if (!slowest || slot.since.load() < slots()[*slowest].since.load()) slowest = i;
    }
    outcome_.problem = fmt::format("it did not end within {} s", request_.timeout);
    if (slowest) {
      outcome_.culprit = static_cast<int64_t>(*slowest);
      outcome_.problem += fmt::format(": rank {} is {}", *slowest, WhereIs(slots()[*slowest]));
    } else {
      outcome_.problem += ": all ranks wait for each other";
    }
    outcome_.problem += all;
    return true;
  }

  // First as mpirun would have it, then by force.
  void End() {
    if (child_ > 0) kill(child_, SIGTERM);
    const auto begin = Clock::now();
    while (!Finished() && Clock::now() - begin < kEndPolitely) {
      ReadComplaints();
      std::this_thread::sleep_for(kLook);
    }
    if (child_ > 0) {
      kill(-child_, SIGKILL);
      kill(child_, SIGKILL);
      int status = 0;
      waitpid(child_, &status, 0);
      child_ = 0;
      status_ = status;
    }
    // A rank whose mpirun is gone dies with it; those that do not are made to.
    const auto alone = Clock::now();
    for (bool any = page_ != nullptr; any && Clock::now() - alone < kOrphans;) {
      any = false;
      for (const RankSlot& slot : slots()) {
        const int pid = slot.pid.load();
        if (pid == 0 || ProcessState(pid) == 'X') continue;
        any = true;
        kill(pid, SIGKILL);
      }
      if (any) std::this_thread::sleep_for(kLook);
    }
    ReadComplaints();
    if (complaints_ >= 0) close(complaints_);
    complaints_ = -1;
  }

  void Conclude() {
    if (!outcome_.problem.empty()) {
      if (outcome_.exit_code == 0) outcome_.exit_code = kExitUnusable;
      return;
    }
    const RankSlot& first = slots()[0];
    const bool all_done = std::ranges::all_of(
        slots(), [](const RankSlot& slot) { return slot.state.load() == RankState::kDone; });
    if (all_done) {
      outcome_.exit_code = first.exit_code.load();
      return;
    }
    if (HasEnded(first.state.load()) && first.exit_code.load() != 0) {
      outcome_.exit_code = first.exit_code.load();  // it has said why
      return;
    }
    outcome_.exit_code = kExitUnusable;
    for (size_t i = 0; i < slots().size(); ++i) {
      const RankSlot& slot = slots()[i];
      if (slot.state.load() == RankState::kFailed) {
        TakeReason(i);
        return;
      }
      if (slot.pid.load() != 0 && !HasEnded(slot.state.load())) {
        Blame(i, Death(slot));
        return;
      }
    }
    outcome_.problem = "the ranks ended without an answer; mpirun says:\n" + said_by_mpirun_;
  }

  [[nodiscard]] std::span<RankSlot> slots() const { return page_->slots(); }

  const LaunchRequest& request_;
  Session& session_;
  std::unique_ptr<RankPage> page_;
  Folder folder_;
  pid_t child_ = 0;
  int status_ = 0;
  int complaints_ = -1;  // mpirun's standard error, and its ranks'
  std::string unread_, said_by_mpirun_;
  bool in_banner_ = false;
  std::vector<std::optional<Clock::time_point>> stopped_since_;
  bool has_failed_ = false;
  LaunchOutcome outcome_;
};

}  // namespace

LaunchOutcome LaunchRanks(const LaunchRequest& request, Session& session) {
  return Launcher(request, session).Run();
}

}  // namespace halo::tool
