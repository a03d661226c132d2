// Allocations that later buffers may try, found newest first. Most are taken up to a time or from a
// time on, and a tree over these times leaves out those that cannot hold a live range. Whether one
// that is found does hold it is left to the assigner.
#ifndef HALO_MEMORY_ASSIGN_REUSABLE_ALLOCATIONS_H_
#define HALO_MEMORY_ASSIGN_REUSABLE_ALLOCATIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "halo/analysis/liveness/live_ranges.h"

namespace halo {

// An allocation is taken before the window by values that are live when the program starts, and
// after it by values that are live when it ends.
struct FreeWindow {
  int64_t opens = std::numeric_limits<int64_t>::min();
  int64_t closes = std::numeric_limits<int64_t>::max();

  void Take(TimeSpan range, int64_t program_end) {
    if (range.start <= 0) opens = std::max(opens, range.end);
    if (range.end >= program_end) closes = std::min(closes, range.start);
  }
  [[nodiscard]] bool MayHold(TimeSpan needed) const {
    return needed.start >= opens && needed.end <= closes;
  }
};

// What the live ranges of a buffer need of a window. A range before the program and one after it
// need nothing of the sides where they cannot overlap.
class NeededWindow {
 public:
  explicit NeededWindow(int64_t program_end) : program_end_(program_end) {}

  void Add(TimeSpan range) {
    if (range.end > 0) needed_.start = std::min(needed_.start, range.start);
    if (range.start < program_end_) needed_.end = std::max(needed_.end, range.end);
  }
  [[nodiscard]] TimeSpan span() const { return needed_; }

 private:
  int64_t program_end_;
  TimeSpan needed_{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
};

class ReusableAllocations {
 public:
  void Clear() {
    numbers_.clear();
    windows_.clear();
    leaves_ = 0;
  }

  // Numbers increase from call to call.
  void Add(uint32_t number, const FreeWindow& window) {
    if (numbers_.size() == leaves_) Grow();
    numbers_.push_back(number);
    Set(numbers_.size() - 1, window);
  }

  // Records that values were added to an allocation, if it is one of these.
  void Update(uint32_t number, const FreeWindow& window) {
    const size_t at = FirstFrom(number);
    if (at < numbers_.size() && numbers_[at] == number) Set(at, window);
  }

  [[nodiscard]] std::optional<uint32_t> Newest(TimeSpan needed) const {
    return Find(numbers_.size(), needed);
  }
  [[nodiscard]] std::optional<uint32_t> NewestBefore(uint32_t number, TimeSpan needed) const {
    return Find(FirstFrom(number), needed);
  }

 private:
  // Holds no live range; the window of a leaf that is not in use.
  static constexpr FreeWindow kShut{std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min()};

  [[nodiscard]] size_t FirstFrom(uint32_t number) const {
    return static_cast<size_t>(std::lower_bound(numbers_.begin(), numbers_.end(), number) -
                               numbers_.begin());
  }

  void Set(size_t at, const FreeWindow& window) {
    size_t node = at + leaves_;
    windows_[node] = window;
    for (node /= 2; node > 0; node /= 2) Combine(node);
  }

  void Combine(size_t node) {
    windows_[node].opens = std::min(windows_[2 * node].opens, windows_[2 * node + 1].opens);
    windows_[node].closes = std::max(windows_[2 * node].closes, windows_[2 * node + 1].closes);
  }

  void Grow() {
    const std::vector<FreeWindow> before = std::move(windows_);
    const size_t count = leaves_;
    leaves_ = std::max<size_t>(2 * count, 16);
    windows_.assign(2 * leaves_, kShut);
    std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(count), count,
                windows_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (size_t node = leaves_ - 1; node > 0; --node) Combine(node);
  }

  // The last one before `end` whose window may hold what is needed.
  [[nodiscard]] std::optional<uint32_t> Find(size_t end, TimeSpan needed) const {
    return end == 0 ? std::nullopt : FindBelow(1, 0, leaves_, end, needed);
  }
  [[nodiscard]] std::optional<uint32_t> FindBelow(size_t node, size_t first, size_t count,
                                                  size_t end, TimeSpan needed) const {
    if (first >= end || !windows_[node].MayHold(needed)) return std::nullopt;
    if (count == 1) return numbers_[first];
    const size_t half = count / 2;
    const auto later = FindBelow(2 * node + 1, first + half, half, end, needed);
    return later ? later : FindBelow(2 * node, first, half, end, needed);
  }

  std::vector<uint32_t> numbers_;
  std::vector<FreeWindow> windows_;  // a binary tree; node 1 is its root
  size_t leaves_ = 0;
};

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_REUSABLE_ALLOCATIONS_H_
