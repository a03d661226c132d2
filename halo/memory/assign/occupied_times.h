// The times at which an allocation is taken, so that a live range is compared with few of the
// values in it, however many there are. Which values may share memory where one ends and the next
// begins is left to the assigner.
#ifndef HALO_MEMORY_ASSIGN_OCCUPIED_TIMES_H_
#define HALO_MEMORY_ASSIGN_OCCUPIED_TIMES_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_map>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/liveness/live_ranges.h"

namespace halo {

class OccupiedTimes {
 public:
  void Add(FlowId value, TimeSpan range) {
    starts_.emplace(range.start, value);
    ends_.emplace(range.end, value);
    auto next = latest_.lower_bound(range.start);
    if (next != latest_.begin() && std::prev(next)->second >= range.end) return;
    while (next != latest_.end() && next->second <= range.end) next = latest_.erase(next);
    if (next == latest_.end() || next->first != range.start) {
      latest_.emplace_hint(next, range.start, range.end);
    }
  }

  // True if a value is live before the range ends and after it starts.
  [[nodiscard]] bool Overlaps(TimeSpan range) const {
    const auto after = latest_.lower_bound(range.end);
    return after != latest_.begin() && std::prev(after)->second > range.start;
  }

  // True if `test` holds for a value that starts where the range ends, or ends where it starts.
  template <class Test>
  [[nodiscard]] bool AnyTouching(TimeSpan range, const Test& test) const {
    const auto any = [&](const auto& values, int64_t time) {
      const auto [first, last] = values.equal_range(time);
      return std::any_of(first, last, [&](const auto& each) { return test(each.second); });
    };
    return any(starts_, range.end) || any(ends_, range.start);
  }

 private:
  std::unordered_multimap<int64_t, FlowId> starts_, ends_;
  // The latest end of all values that start up to a time. A value that starts later and ends no
  // later than another has no entry, so ends increase.
  std::map<int64_t, int64_t> latest_;
};

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_OCCUPIED_TIMES_H_
