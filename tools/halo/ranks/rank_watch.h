// Judges the ranks of a run by what their slots say: who failed, is gone, was stopped or told to
// end, who holds the others up. It only looks; ending them is the launcher's.
#ifndef TOOLS_HALO_RANKS_RANK_WATCH_H_
#define TOOLS_HALO_RANKS_RANK_WATCH_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/api/observe/rank_slot.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo::tool {

// Why a run cannot go on, or did not end well.
struct RankVerdict {
  int64_t culprit = -1;  // the rank that ended it, if one did
  std::string problem;   // in words
  DiagCode code = diag::kCannotEvaluate;
};

class RankWatch {
 public:
  explicit RankWatch(std::span<const RankSlot> slots)
      : slots_(slots), stopped_since_(slots.size()) {}

  // What the ranks are at, in one line.
  [[nodiscard]] std::string Status() const;
  // Nothing as long as all may go on.
  std::optional<RankVerdict> Look();
  // Whoever computes while others wait for it is named; if all wait, all are.
  [[nodiscard]] RankVerdict TooLong(double seconds) const;
  [[nodiscard]] bool AllDone() const;
  // Of ranks that have all ended, the one that did so without being done.
  [[nodiscard]] std::optional<RankVerdict> Unfinished() const;

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::optional<RankVerdict> FindFailed();
  [[nodiscard]] std::optional<RankVerdict> FindGone();
  [[nodiscard]] std::optional<RankVerdict> FindTold() const;
  [[nodiscard]] RankVerdict Blame(size_t rank, std::string_view what) const;
  [[nodiscard]] RankVerdict Reason(size_t rank) const;

  std::span<const RankSlot> slots_;
  std::vector<std::optional<Clock::time_point>> stopped_since_;
  bool has_failed_ = false;
};

// A rank that will say no more.
bool HasEnded(RankState state);
// 'R', 'S', 'T', ... as the system has it; 'X' if there is no such process any more.
char ProcessState(int pid);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_RANK_WATCH_H_
