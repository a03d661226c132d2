// The course of a launch: starts mpirun and checks its ranks many times a second. Everything ends
// when the ranks are done, one of them has a problem, the time is up, or the user interrupts.
#include "tools/halo/ranks/launch_ranks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tools/halo/ranks/mpirun_process.h"
#include "tools/halo/ranks/rank_page.h"
#include "tools/halo/ranks/rank_watch.h"

namespace halo::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLaunchPoll{20};
constexpr std::chrono::milliseconds kStatusPeriod{500};

std::atomic<int> ended_by = 0;  // the signal that asks the launcher itself to stop
void OnSignal(int number) { ended_by = number; }

// Ctrl-C and similar signals go to the launcher, which shuts everything down in order.
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

void Take(RankVerdict verdict, LaunchOutcome& outcome) {
  outcome.exit_code = kExitUnusable;
  outcome.culprit = verdict.culprit;
  outcome.problem = std::move(verdict.problem);
  outcome.code = verdict.code;
}

// Runs until the ranks have ended or must be terminated. Returns true if they must be terminated at
// once: what is late or interrupted has no more time to end by itself.
bool Attend(const LaunchRequest& request, MpirunProcess& mpirun, RankWatch& watch, Console& console,
            LaunchOutcome& outcome) {
  auto next_status = Clock::now() + kStatusPeriod;
  while (!mpirun.Finished()) {
    mpirun.Relay(kLaunchPoll);
    if (Clock::now() >= next_status) {
      console.Status(watch.Status());
      next_status = Clock::now() + kStatusPeriod;
    }
    if (ended_by != 0) {
      outcome.exit_code = ended_by == SIGINT ? kExitInterrupted : 128 + ended_by;
      outcome.problem = "it was interrupted";
      outcome.code = diag::kInterrupted;
      return true;
    }
    if (auto wrong = watch.Poll()) {
      Take(*std::move(wrong), outcome);
      return false;
    }
    const double elapsed = std::chrono::duration<double>(Clock::now() - request.begin).count();
    if (request.timeout > 0 && elapsed >= request.timeout) {
      Take(watch.TooLong(request.timeout), outcome);
      return true;
    }
  }
  return false;
}

// mpirun says: process rank 3 with PID 759 on node host2 exited on signal 9 (Killed).
std::string LostRank(const std::string& said) {
  const size_t at = said.find("process rank ");
  if (at == std::string::npos) return "";
  long rank = 0;
  long pid = 0;
  char host[256] = {};
  if (std::sscanf(said.c_str() + at, "process rank %ld with PID %ld on node %255s", &rank, &pid,
                  host) != 3) {
    return "";
  }
  return fmt::format("rank {} on {} (process {}) ended early: ", rank, host, pid);
}

// The lines of a text, as the message of a diagnostic, which has one line, can quote them.
std::string OnOneLine(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end != at) out.append(out.empty() ? "" : " | ").append(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Whether what the first rank printed about its failure was passed on. mpirun may end before it
// does that, and the agent that starts ranks on other hosts may have printed something as well.
bool HasReported(const RankSlot& first, const MpirunProcess& mpirun) {
  if (first.state.load() == RankState::kFailed) return mpirun.HasRelayed(first.Reason());
  return mpirun.has_relayed();
}

// Determines the outcome of ranks that ended by themselves.
void Conclude(const RankWatch& watch, const RankSlot& first, const MpirunProcess& mpirun,
              LaunchOutcome& outcome) {
  // A first rank on another host reports through mpirun only.
  const bool is_here = first.pid.load() != 0;
  outcome.exit_code = is_here ? first.exit_code.load() : mpirun.exit_code();
  // If the first rank failed, it has already printed why.
  const bool has_ended = is_here && HasEnded(first.state.load());
  if (has_ended && outcome.exit_code != 0 && HasReported(first, mpirun)) return;
  if (watch.AllDone() && (mpirun.exit_code() == 0 || mpirun.exit_code() == kExitFindings)) return;
  if (auto unfinished = watch.Unfinished()) return Take(*std::move(unfinished), outcome);
  outcome.exit_code = kExitUnusable;
  outcome.problem =
      LostRank(mpirun.said()) +
      "the ranks exited without a result; output of mpirun: " + OnOneLine(mpirun.said());
}

}  // namespace

LaunchOutcome LaunchRanks(const LaunchRequest& request, Session& session) {
  const FoundMpirun program = FindMpirun();
  if (program.path.empty()) return {.problem = program.problem};
  const std::unique_ptr<RankPage> page = RankPage::Create(request.ranks);
  MpirunProcess mpirun(session.console);
  if (page == nullptr || !mpirun.has_folder()) {
    return {.problem = "the shared memory that monitors the ranks cannot be created"};
  }
  const SignalGuard signals;
  if (!mpirun.Start({.program = program.path,
                     .ranks = request.ranks,
                     .hosts = request.hosts,
                     .agent = request.agent,
                     .page = page->path()})) {
    return {.problem = "mpirun could not be started"};
  }
  LaunchOutcome outcome;
  outcome.started = true;
  RankWatch watch(page->slots(), !request.hosts.hosts.empty());
  const bool at_once = Attend(request, mpirun, watch, session.console, outcome);
  session.console.Status("");
  mpirun.End(page->slots(), at_once);
  outcome.first_pid = page->slots()[0].pid.load();
  // What the first rank failed with, it has printed itself, unless mpirun ended before it passed
  // that on.
  const RankSlot& first = page->slots()[0];
  if (first.state.load() == RankState::kFailed && first.exit_code.load() != 0 &&
      outcome.culprit == 0 && HasReported(first, mpirun)) {
    outcome.problem.clear();
    return outcome;
  }
  if (outcome.problem.empty()) Conclude(watch, first, mpirun, outcome);
  return outcome;
}

}  // namespace halo::tool
