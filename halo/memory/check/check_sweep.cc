// The sweep. At each time, values whose live ranges end there leave the map first but stay visible
// to those that start there. This distinguishes touching pairs from overlapping ones.
#include "halo/memory/check/check_sweep.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace halo::check {
namespace {

// Clashing items do not fit in the disjoint map. Up to this many are compared one by one.
constexpr size_t kMaxMisfits = 1024;
constexpr size_t kMaxClashes = 1u << 20;

// Values of one group at one position.
struct Slot {
  uint32_t group = 0;
  std::multiset<int64_t> ends;
  std::vector<uint32_t> items;  // the last few are the ones named in findings
  [[nodiscard]] int64_t end() const { return *ends.rbegin(); }
};

class Line {
 public:
  Line(const std::vector<Occupied>& items,
       const std::function<bool(const Occupied&, const Occupied&)>& touch,
       const std::function<void(const Occupied&, const Occupied&)>& clash)
      : items_(items), touch_(touch), clash_(clash) {}

  // Sweeps the items of one allocation, which are in order of their start.
  void Run(std::vector<uint32_t> starts) {
    std::vector<uint32_t> ends = starts;
    std::ranges::sort(ends, {}, [&](uint32_t i) { return std::pair(items_[i].live.end, i); });
    size_t next_end = 0;
    for (size_t s = 0; s < starts.size();) {
      const int64_t now = items_[starts[s]].live.start;
      // Ended before now.
      while (next_end < ends.size() && items_[ends[next_end]].live.end < now) {
        Remove(ends[next_end++]);
      }
      std::erase_if(misfits_, [&](uint32_t m) { return items_[m].live.end < now; });
      dying_.clear();
      while (next_end < ends.size() && items_[ends[next_end]].live.end == now &&
             items_[ends[next_end]].live.start < now) {
        if (Remove(ends[next_end])) Die(ends[next_end]);
        ++next_end;
      }
      // Items that start and end now stay until the next time.
      for (; s < starts.size() && items_[starts[s]].live.start == now; ++s) Add(starts[s]);
      if (!result_.counted_all) return;
    }
  }

  [[nodiscard]] const SweepResult& result() const { return result_; }
  void Clear() {
    active_.clear();
    dying_.clear();
    misfits_.clear();
  }

 private:
  using Map = std::map<int64_t, Slot>;

  template <class Visit>
  static void Overlapping(Map& map, int64_t begin, int64_t end, const Visit& visit) {
    auto at = map.upper_bound(begin);
    if (at != map.begin() && std::prev(at)->second.end() > begin) --at;
    for (; at != map.end() && at->first < end; ++at) visit(at->second);
  }

  void Clash(uint32_t first, uint32_t second) {
    clash_(items_[first], items_[second]);
    if (++clashes_ >= kMaxClashes) result_.counted_all = false;
  }

  void Add(uint32_t id) {
    const Occupied& item = items_[id];
    bool fits = true;
    Slot* own = nullptr;
    Overlapping(active_, item.begin, item.end, [&](Slot& slot) {
      if (slot.group == item.group) {
        // One group at two offsets is reported as such, not as an overlap.
        fits = fits && items_[slot.items.front()].begin == item.begin;
        own = &slot;
        return;
      }
      fits = false;
      for (const uint32_t other : slot.items) {
        ++result_.pairs;
        if (items_[other].end > item.begin) Clash(other, id);
      }
    });
    Overlapping(dying_, item.begin, item.end, [&](Slot& slot) {
      if (slot.group == item.group) return;
      for (const uint32_t other : slot.items) {
        if (items_[other].end <= item.begin) continue;
        ++result_.pairs;
        if (!touch_(items_[other], item)) Clash(other, id);
      }
    });
    for (const uint32_t other : misfits_) CheckPair(other, id);
    if (fits && own != nullptr) {
      own->ends.insert(item.end);
      own->items.push_back(id);
    } else if (fits) {
      active_.emplace(item.begin, Slot{item.group, {item.end}, {id}});
    } else if (misfits_.size() < kMaxMisfits) {
      misfits_.push_back(id);
    } else {
      result_.counted_all = false;
    }
  }

  // Checks a misfit against a new item by the plain definition.
  void CheckPair(uint32_t other, uint32_t id) {
    const Occupied& a = items_[other];
    const Occupied& b = items_[id];
    if (a.group == b.group || a.begin >= b.end || b.begin >= a.end) return;
    if (a.live.end < b.live.start) return;
    ++result_.pairs;
    if (a.live.end == b.live.start && a.live.start < b.live.start && touch_(a, b)) return;
    Clash(other, id);
  }

  // False for a misfit: misfits are compared one by one as long as they are live.
  bool Remove(uint32_t id) {
    const Occupied& item = items_[id];
    const auto at = active_.find(item.begin);
    if (at == active_.end() || std::erase(at->second.items, id) == 0) return false;
    at->second.ends.erase(at->second.ends.find(item.end));
    if (at->second.items.empty()) active_.erase(at);
    return true;
  }

  void Die(uint32_t id) {
    const Occupied& item = items_[id];
    const auto [at, fresh] = dying_.try_emplace(item.begin, Slot{item.group, {item.end}, {id}});
    if (fresh) return;
    at->second.ends.insert(item.end);
    at->second.items.push_back(id);
  }

  const std::vector<Occupied>& items_;
  const std::function<bool(const Occupied&, const Occupied&)>& touch_;
  const std::function<void(const Occupied&, const Occupied&)>& clash_;
  Map active_, dying_;
  std::vector<uint32_t> misfits_;
  size_t clashes_ = 0;
  SweepResult result_;
};

}  // namespace

SweepResult Sweep(std::vector<Occupied> items,
                  const std::function<bool(const Occupied&, const Occupied&)>& touch,
                  const std::function<void(const Occupied&, const Occupied&)>& clash) {
  std::ranges::sort(items, [](const Occupied& a, const Occupied& b) {
    return std::tuple(a.allocation, a.live.start, a.live.end, a.value) <
           std::tuple(b.allocation, b.live.start, b.live.end, b.value);
  });
  Line line(items, touch, clash);
  for (size_t i = 0; i < items.size();) {
    std::vector<uint32_t> starts;
    const AllocationId allocation = items[i].allocation;
    for (; i < items.size() && items[i].allocation == allocation; ++i) {
      starts.push_back(static_cast<uint32_t>(i));
    }
    line.Clear();
    line.Run(std::move(starts));
  }
  return line.result();
}

}  // namespace halo::check
