// Diagnoses the ranks of a run from their slots: which rank failed, is gone, was stopped or was
// told to stop, and which one delays the others. It only observes; the launcher terminates them.
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

// Why a run cannot continue, or did not end well.
struct RankVerdict {
  int64_t culprit = -1;  // the rank that caused the end, if one did
  std::string problem;   // as text
  DiagCode code = diag::kCannotEvaluate;
};

class RankWatch {
 public:
  // With `has_other_hosts`, a slot that stays empty may belong to a rank of another host, which
  // cannot write it.
  explicit RankWatch(std::span<const RankSlot> slots, bool has_other_hosts = false)
      : slots_(slots), stopped_since_(slots.size()), has_other_hosts_(has_other_hosts) {}

  // What the ranks are doing, in one line.
  [[nodiscard]] std::string Status() const;
  // Nothing as long as all ranks may continue.
  std::optional<RankVerdict> Poll();
  // Names the rank that computes while others wait for it; if all ranks wait, all are named.
  [[nodiscard]] RankVerdict TooLong(double seconds) const;
  // All ranks that write a slot are done.
  [[nodiscard]] bool AllDone() const;
  // Among ranks that have all ended, the one that ended without being done.
  [[nodiscard]] std::optional<RankVerdict> Unfinished() const;

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::optional<RankVerdict> FindFailed();
  [[nodiscard]] std::optional<RankVerdict> FindGone();
  [[nodiscard]] std::optional<RankVerdict> FindAlone() const;
  [[nodiscard]] std::optional<RankVerdict> FindTold() const;
  [[nodiscard]] RankVerdict Blame(size_t rank, std::string_view what) const;
  [[nodiscard]] RankVerdict Reason(size_t rank) const;
  [[nodiscard]] bool IsElsewhere(const RankSlot& slot) const {
    return has_other_hosts_ && slot.pid.load() == 0;
  }

  std::span<const RankSlot> slots_;
  std::vector<std::optional<Clock::time_point>> stopped_since_;
  bool has_other_hosts_ = false;
  bool has_failed_ = false;
};

// True for a rank that will report nothing more.
bool HasEnded(RankState state);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_RANK_WATCH_H_
