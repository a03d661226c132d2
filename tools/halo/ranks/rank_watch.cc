// Detects problems and describes them.
#include "tools/halo/ranks/rank_watch.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "halo/api/document/all_diagnostics.h"
#include "halo/base/process_state.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo::tool {
namespace {

DiagCode CodeOf(const RankSlot& slot) {
  const DiagCode* code = FindDiagnostic(slot.code.load());
  return code == nullptr ? diag::kCannotEvaluate : *code;
}

constexpr std::chrono::milliseconds kStoppedLong{1000};  // longer than a scheduling hiccup
constexpr std::chrono::nanoseconds kToHear{3'000'000'000};
// Ranks of other hosts have been told by then, or cannot be.
constexpr std::chrono::nanoseconds kToHearElsewhere{1'000'000'000};
// A rank that has started may wait this long for all others to start, and as long again for each.
constexpr double kToJoin = 60;
constexpr double kToJoinEach = 1;
constexpr size_t kShown = 16;  // ranks listed individually

std::string_view TextOf(RankState state) {
  switch (state) {
    case RankState::kAbsent: return "starting";
    case RankState::kJoining: return "joining the other ranks";
    case RankState::kReading: return "reading its inputs";
    case RankState::kCompiling: return "compiling";
    case RankState::kComputing: return "computing";
    case RankState::kCommunicating: return "waiting for other ranks";
    case RankState::kCollecting: return "sending its results";
    case RankState::kDone: return "done";
    case RankState::kFailed: return "failed";
    case RankState::kTold: return "ended";
  }
  return "";
}

// "at %dot.4, computing for 2.1 s"
std::string WhereIs(const RankSlot& slot) {
  const RankState state = slot.state.load();
  // A rank that has not started yet has recorded no time.
  const int64_t since = slot.since.load();
  if (since == 0) return std::string(TextOf(state));
  const double seconds = static_cast<double>(RankSlot::Now() - since) * 1e-9;
  const std::string instruction = slot.Instruction();
  const bool in_program = state == RankState::kComputing || state == RankState::kCommunicating;
  const std::string at = in_program && !instruction.empty() ? "at %" + instruction + ", " : "";
  return fmt::format("{}{} for {:.1f} s", at, TextOf(state), std::max(seconds, 0.0));
}

std::string Death(const RankSlot& slot) {
  const int number = slot.signal.load();
  if (number == 0) return "was killed, by a user or by the system because memory ran out";
  return fmt::format("was terminated by signal {} ({})", number, strsignal(number));
}

}  // namespace

bool HasEnded(RankState state) {
  return state == RankState::kDone || state == RankState::kFailed || state == RankState::kTold;
}

std::string RankWatch::Status() const {
  size_t computing = 0;
  size_t waiting = 0;
  int64_t least = INT64_MAX;
  size_t last = 0;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const RankState state = slots_[i].state.load();
    computing += state == RankState::kComputing ? 1 : 0;
    waiting += state == RankState::kCommunicating ? 1 : 0;
    if (!IsElsewhere(slots_[i]) && slots_[i].steps.load() < least) {
      least = slots_[i].steps.load();
      last = i;
    }
  }
  return fmt::format("{} ranks: {} computing, {} waiting; rank {} is last, {}", slots_.size(),
                     computing, waiting, last, WhereIs(slots_[last]));
}

std::optional<RankVerdict> RankWatch::Poll() {
  if (auto failed = FindFailed()) return failed;
  if (has_failed_) return std::nullopt;  // the other ranks are about to be notified
  if (auto gone = FindGone()) return gone;
  if (auto alone = FindAlone()) return alone;
  return FindTold();
}

// Once all ranks have joined, those of other hosts are watched there. Before that, no one sees that
// they are stopped.
std::optional<RankVerdict> RankWatch::FindAlone() const {
  if (!has_other_hosts_) return std::nullopt;
  const double most = kToJoin + kToJoinEach * static_cast<double>(slots_.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].state.load() != RankState::kJoining) continue;
    const double waited = static_cast<double>(RankSlot::Now() - slots_[i].since.load()) * 1e-9;
    if (waited < most) continue;
    RankVerdict verdict;
    verdict.problem = fmt::format(
        "rank {} has waited for {:.0f} s until ranks of other hosts join it: they are stopped, or "
        "their hosts cannot reach each other",
        i, waited);
    return verdict;
  }
  return std::nullopt;
}

// The other ranks are notified of a failure and end by themselves; those that do not are not waited
// for.
std::optional<RankVerdict> RankWatch::FindFailed() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].state.load() != RankState::kFailed) continue;
    has_failed_ = true;
    const auto patience = has_other_hosts_ ? kToHearElsewhere : kToHear;
    if (RankSlot::Now() - slots_[i].since.load() < patience.count()) return std::nullopt;
    return Reason(i);
  }
  return std::nullopt;
}

std::optional<RankVerdict> RankWatch::FindGone() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const RankSlot& slot = slots_[i];
    const int pid = slot.pid.load();
    if (pid == 0 || HasEnded(slot.state.load())) continue;
    const char state = ProcessState(pid);
    if (state == 'X' && !HasEnded(slot.state.load())) return Blame(i, Death(slot));
    if (state != 'T') {
      stopped_since_[i].reset();
    } else if (!stopped_since_[i]) {
      stopped_since_[i] = Clock::now();
    } else if (Clock::now() - *stopped_since_[i] > kStoppedLong) {
      return Blame(i, "is stopped (SIGSTOP)");
    }
  }
  return std::nullopt;
}

// Only the launcher tells ranks to stop. A rank found in this state was told by another process.
// With other hosts, mpirun also does, as soon as a rank there is gone; mpirun says which.
std::optional<RankVerdict> RankWatch::FindTold() const {
  if (has_other_hosts_) return std::nullopt;
  std::optional<size_t> first;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].state.load() != RankState::kTold) continue;
    if (!first || slots_[i].since.load() < slots_[*first].since.load()) first = i;
  }
  if (!first) return std::nullopt;
  return Blame(*first, "received SIGTERM");
}

RankVerdict RankWatch::TooLong(double seconds) const {
  std::optional<size_t> slowest;
  std::string all;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const RankSlot& slot = slots_[i];
    const RankState state = slot.state.load();
    if (i < kShown) {
      all += fmt::format("; rank {}: {}", i, IsElsewhere(slot) ? "on another host" : WhereIs(slot));
    }
    if (IsElsewhere(slot)) continue;
    if (state == RankState::kCommunicating || HasEnded(state)) continue;
    if (!slowest || slot.since.load() < slots_[*slowest].since.load()) slowest = i;
  }
  RankVerdict verdict;
  verdict.problem = fmt::format("the run did not finish within {} s", seconds);
  if (slowest) {
    verdict.culprit = static_cast<int64_t>(*slowest);
    verdict.problem += fmt::format(": rank {} is {}", *slowest, WhereIs(slots_[*slowest]));
  } else {
    verdict.problem += ": all ranks wait for each other";
  }
  verdict.problem += all;
  return verdict;
}

bool RankWatch::AllDone() const {
  return std::ranges::all_of(slots_, [&](const RankSlot& slot) {
    return slot.state.load() == RankState::kDone || IsElsewhere(slot);
  });
}

std::optional<RankVerdict> RankWatch::Unfinished() const {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const RankSlot& slot = slots_[i];
    if (slot.state.load() == RankState::kFailed) return Reason(i);
    if (slot.pid.load() != 0 && !HasEnded(slot.state.load())) return Blame(i, Death(slot));
  }
  return std::nullopt;
}

// What a failed rank reports about itself.
RankVerdict RankWatch::Reason(size_t rank) const {
  const RankSlot& slot = slots_[rank];
  return {static_cast<int64_t>(rank), fmt::format("rank {}: {}", rank, slot.Reason()),
          CodeOf(slot)};
}

RankVerdict RankWatch::Blame(size_t rank, std::string_view what) const {
  const RankSlot& slot = slots_[rank];
  RankVerdict verdict;
  verdict.culprit = static_cast<int64_t>(rank);
  verdict.problem =
      fmt::format("rank {} (process {}) {}: it was {}", rank, slot.pid.load(), what, WhereIs(slot));
  return verdict;
}

}  // namespace halo::tool
