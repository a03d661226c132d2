// What overlaps an interval in time is found by two looks: what covers its start (a tree of spans)
// and what starts within it (a list by time). Every event has a time of its own, so no two start
// together.
#include "halo/memory/heap.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>
#include <tuple>

#include "halo/memory/free_space.h"

namespace halo {
namespace {

constexpr int64_t kOpenEnd = std::numeric_limits<int64_t>::max();

struct Chunk {
  int64_t begin = 0, end = 0;
};

int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

// Chunks of intervals placed so far, to be asked for those that overlap a span of time.
class Placed {
 public:
  explicit Placed(int64_t times)
      : leaves_(std::bit_ceil(static_cast<size_t>(std::max<int64_t>(times, 1)))),
        covering_(2 * leaves_),
        at_start_(leaves_, kNone),
        next_start_((leaves_ + 63) / 64, 0),
        next_word_((next_start_.size() + 63) / 64, 0) {}

  void Add(int64_t start, int64_t end, Chunk chunk) {
    const auto number = static_cast<uint32_t>(chunks_.size());
    chunks_.push_back(chunk);
    const auto first = static_cast<size_t>(start);
    at_start_[first] = number;
    next_start_[first / 64] |= uint64_t{1} << (first % 64);
    next_word_[first / 4096] |= uint64_t{1} << (first / 64 % 64);
    size_t low = first + leaves_, high = static_cast<size_t>(end) + 1 + leaves_;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) covering_[low++].push_back(number);
      if (high % 2 == 1) covering_[--high].push_back(number);
    }
  }

  void FindOverlapping(int64_t start, int64_t end, std::vector<Chunk>& out) const {
    for (size_t node = static_cast<size_t>(start) + leaves_; node > 0; node /= 2) {
      for (const uint32_t number : covering_[node]) out.push_back(chunks_[number]);
    }
    for (size_t at = NextStart(static_cast<size_t>(start) + 1); at <= static_cast<size_t>(end);
         at = NextStart(at + 1)) {
      out.push_back(chunks_[at_start_[at]]);
    }
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The first time from `at` on at which something starts; beyond all if nothing does.
  [[nodiscard]] size_t NextStart(size_t at) const {
    if (at >= leaves_) return SIZE_MAX;
    size_t word = at / 64;
    const uint64_t here = next_start_[word] >> (at % 64);
    if (here != 0) return at + static_cast<size_t>(std::countr_zero(here));
    ++word;
    size_t group = word / 64;
    if (group >= next_word_.size()) return SIZE_MAX;
    uint64_t words = next_word_[group] & (~uint64_t{0} << (word % 64));
    while (words == 0) {
      if (++group >= next_word_.size()) return SIZE_MAX;
      words = next_word_[group];
    }
    word = group * 64 + static_cast<size_t>(std::countr_zero(words));
    return word * 64 + static_cast<size_t>(std::countr_zero(next_start_[word]));
  }

  size_t leaves_;
  std::vector<std::vector<uint32_t>> covering_;
  std::vector<uint32_t> at_start_;
  std::vector<uint64_t> next_start_, next_word_;
  std::vector<Chunk> chunks_;
};

// Where a chunk of `size` goes among `used`: the smallest gap that holds it, the lowest of equals,
// the open end last.
int64_t BestFit(std::vector<Chunk>& used, int64_t size, int64_t alignment) {
  std::sort(used.begin(), used.end(),
            [](const Chunk& a, const Chunk& b) { return a.begin < b.begin; });
  int64_t best = -1, best_gap = kOpenEnd;
  int64_t free_from = 0;
  const auto consider = [&](int64_t until) {
    if (until - free_from >= size && (best < 0 || until - free_from < best_gap)) {
      best = free_from;
      best_gap = until - free_from;
    }
  };
  for (size_t i = 0; i < used.size();) {
    Chunk merged = used[i++];
    while (i < used.size() && used[i].begin < merged.end) {
      merged.end = std::max(merged.end, used[i++].end);
    }
    consider(merged.begin);
    free_from = std::max(free_from, RoundUp(merged.end, alignment));
  }
  consider(kOpenEnd);
  return best;
}

}  // namespace

uint32_t Heap::Take(int64_t size, int64_t key) {
  const auto number = static_cast<uint32_t>(intervals_.size());
  intervals_.push_back({size, key, size == 0 ? -1 : clock_, -1, number});
  if (size != 0) ++clock_;
  return number;
}

uint32_t Heap::Share(uint32_t with, int64_t size, int64_t key) {
  const uint32_t number = Take(size, key);
  intervals_[number].root = intervals_[with].root;
  return number;
}

void Heap::GiveBack(uint32_t interval) {
  if (intervals_[interval].start < 0 || intervals_[interval].end >= 0) return;
  intervals_[interval].end = clock_++;
}

std::vector<Heap::Group> Heap::SortedGroups(Order order) const {
  std::vector<Group> groups;
  std::vector<uint32_t> group_of(intervals_.size(), UINT32_MAX);
  for (uint32_t i = 0; i < intervals_.size(); ++i) {
    const Interval& interval = intervals_[i];
    if (interval.start < 0) continue;
    const int64_t end = interval.end < 0 ? clock_ : interval.end;
    uint32_t& number = group_of[interval.root];
    if (number == UINT32_MAX) {
      number = static_cast<uint32_t>(groups.size());
      groups.push_back({interval.size,
                        interval.size,
                        interval.key,
                        end - interval.start,
                        interval.start,
                        end,
                        {}});
    }
    Group& group = groups[number];
    group.max_size = std::max(group.max_size, interval.size);
    group.first = std::min(group.first, interval.start);
    group.last = std::max(group.last, end);
    group.members.push_back(i);
  }
  std::sort(groups.begin(), groups.end(), [order](const Group& a, const Group& b) {
    switch (order) {
      case Order::kSpatial:
        return std::tuple(-a.size, -a.duration, a.key) < std::tuple(-b.size, -b.duration, b.key);
      case Order::kTemporal:
        return std::tuple(a.first - a.last, -a.size, a.key) <
               std::tuple(b.first - b.last, -b.size, b.key);
      default: return std::tuple(a.first, -a.size, a.key) < std::tuple(b.first, -b.size, b.key);
    }
  });
  return groups;
}

Heap::Placement Heap::Place(Order order, int64_t alignment) const {
  Placement result;
  result.offsets.assign(intervals_.size(), 0);
  result.sizes.assign(intervals_.size(), 0);
  Placed placed(clock_ + 1);
  std::vector<Chunk> used;
  for (const Group& group : SortedGroups(order)) {
    used.clear();
    for (const uint32_t member : group.members) {
      const Interval& interval = intervals_[member];
      placed.FindOverlapping(interval.start, interval.end < 0 ? clock_ : interval.end, used);
    }
    const int64_t offset = BestFit(used, group.max_size, alignment);
    const Chunk chunk{offset, offset + group.max_size};
    result.size = std::max(result.size, chunk.end);
    for (const uint32_t member : group.members) {
      const Interval& interval = intervals_[member];
      placed.Add(interval.start, interval.end < 0 ? clock_ : interval.end, chunk);
      result.offsets[member] = offset;
      result.sizes[member] = group.max_size;
    }
  }
  return result;
}

Heap::Placement Heap::PlaceBest(int64_t alignment) const {
  Placement spatial = Place(Order::kSpatial, alignment);
  Placement temporal = Place(Order::kTemporal, alignment);
  return temporal.size < spatial.size ? temporal : spatial;
}

Heap::Placement Heap::PlaceByTime(int64_t alignment) const {
  Placement result;
  result.offsets.assign(intervals_.size(), 0);
  result.sizes.assign(intervals_.size(), 0);
  FreeSpace free(alignment);
  const auto ends_first = [](const std::pair<int64_t, FreeSpace::Piece>& a,
                             const std::pair<int64_t, FreeSpace::Piece>& b) {
    return std::pair(a.first, a.second.begin) > std::pair(b.first, b.second.begin);
  };
  std::priority_queue<std::pair<int64_t, FreeSpace::Piece>,
                      std::vector<std::pair<int64_t, FreeSpace::Piece>>, decltype(ends_first)>
      taken(ends_first);
  for (const Group& group : SortedGroups(Order::kByStart)) {
    while (!taken.empty() && taken.top().first <= group.first) {
      free.GiveBack(taken.top().second);
      taken.pop();
    }
    const FreeSpace::Piece piece = free.Find(group.max_size);
    free.Take(piece);
    taken.emplace(group.last, piece);
    result.size = std::max(result.size, piece.end);
    for (const uint32_t member : group.members) {
      result.offsets[member] = piece.offset;
      result.sizes[member] = group.max_size;
    }
  }
  return result;
}

}  // namespace halo
