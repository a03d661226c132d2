// Intervals that overlap in time are found through a tree over blocks of times: each node knows the
// bytes taken throughout it and the bytes taken anywhere in it. Adjacent chunks are merged, so a
// heap filled without holes costs little however many values it holds.
#include "halo/memory/assign/heap.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>
#include <tuple>

#include "halo/base/round_up.h"
#include "halo/memory/assign/free_space.h"

namespace halo {
namespace {

constexpr int64_t kOpenEnd = std::numeric_limits<int64_t>::max();

struct Chunk {
  int64_t begin = 0, end = 0;
};

// Bytes taken, as ordered chunks; chunks with no room for an aligned chunk between them are merged.
class Taken {
 public:
  void Add(Chunk chunk, int64_t alignment) {
    auto first = std::lower_bound(
        chunks_.begin(), chunks_.end(), chunk.begin,
        [&](const Chunk& each, int64_t begin) { return RoundUp(each.end, alignment) < begin; });
    auto last = first;
    for (; last != chunks_.end() && last->begin <= RoundUp(chunk.end, alignment); ++last) {
      chunk.begin = std::min(chunk.begin, last->begin);
      chunk.end = std::max(chunk.end, last->end);
    }
    if (first == last) {
      chunks_.insert(first, chunk);
      return;
    }
    *first = chunk;
    chunks_.erase(first + 1, last);
  }
  void AppendTo(std::vector<Chunk>& out) const {
    out.insert(out.end(), chunks_.begin(), chunks_.end());
  }

 private:
  std::vector<Chunk> chunks_;
};

// Chunks of the intervals placed so far, queried for those that overlap a time range.
class Placed {
 public:
  Placed(int64_t times, int64_t alignment)
      : leaves_(std::bit_ceil(static_cast<size_t>(times) / kBlock + 1)),
        alignment_(alignment),
        throughout_(2 * leaves_),
        anywhere_(2 * leaves_),
        blocks_(leaves_) {}

  void Add(int64_t start, int64_t end, Chunk chunk) {
    const size_t first = static_cast<size_t>(start) / kBlock;
    const size_t last = static_cast<size_t>(end) / kBlock;
    blocks_[first].push_back({start, end, chunk});
    if (last != first) blocks_[last].push_back({start, end, chunk});
    ForEachBetween(first, last, [&](size_t node) {
      throughout_[node].Add(chunk, alignment_);
      anywhere_[node].Add(chunk, alignment_);
    });
    ForEachAbove(first, last, [&](size_t node) { anywhere_[node].Add(chunk, alignment_); });
  }

  void FindOverlapping(int64_t start, int64_t end, std::vector<Chunk>& out) const {
    const size_t first = static_cast<size_t>(start) / kBlock;
    const size_t last = static_cast<size_t>(end) / kBlock;
    for (const size_t block : {first, last}) {
      for (const Stay& stay : blocks_[block]) {
        if (stay.start <= end && start <= stay.end) out.push_back(stay.chunk);
      }
      if (first == last) break;
    }
    ForEachBetween(first, last, [&](size_t node) { anywhere_[node].AppendTo(out); });
    ForEachAbove(first, last, [&](size_t node) { throughout_[node].AppendTo(out); });
  }

 private:
  static constexpr size_t kBlock = 32;

  struct Stay {
    int64_t start, end;
    Chunk chunk;
  };

  // The nodes that cover exactly the blocks strictly between the two.
  template <class Visit>
  void ForEachBetween(size_t first, size_t last, const Visit& visit) const {
    size_t low = first + 1 + leaves_, high = last + leaves_;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) visit(low++);
      if (high % 2 == 1) visit(--high);
    }
  }

  // Both blocks and all their ancestors, each once.
  template <class Visit>
  void ForEachAbove(size_t first, size_t last, const Visit& visit) const {
    size_t low = first + leaves_, high = last + leaves_;
    for (; low != high; low /= 2, high /= 2) {
      visit(low);
      visit(high);
    }
    for (; low > 0; low /= 2) visit(low);
  }

  size_t leaves_;
  int64_t alignment_;
  std::vector<Taken> throughout_, anywhere_;  // by node
  std::vector<std::vector<Stay>> blocks_;     // the stays that start or end in each
};

// The offset for a chunk of `size` among `used`: the smallest gap that holds it, the lowest one on
// a tie, the open end last.
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
  Placed placed(clock_ + 1, alignment);
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
