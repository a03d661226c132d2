// Items that interfere with a given one are found through a tree over the component's items, which
// are ordered by their first section. Each node knows the last section that a placed item below it
// reaches.
#include "halo/memory/pack/pack_fit.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <span>
#include <utility>

#include "halo/base/round_up.h"

namespace halo {

const FitRule kFitRules[8] = {
    {"best fit by size", FitOrder::kSize, FitHole::kBest},
    {"best fit by duration", FitOrder::kDuration, FitHole::kBest},
    {"best fit by area", FitOrder::kArea, FitHole::kBest},
    {"best fit by start", FitOrder::kStart, FitHole::kBest},
    {"first fit by size", FitOrder::kSize, FitHole::kFirst},
    {"first fit by duration", FitOrder::kDuration, FitHole::kFirst},
    {"first fit by area", FitOrder::kArea, FitHole::kFirst},
    {"first fit by start", FitOrder::kStart, FitHole::kFirst},
};

namespace {

class PlacedTree {
 public:
  explicit PlacedTree(size_t count) : leaves_(std::bit_ceil(std::max<size_t>(count, 1))) {
    reach_.assign(2 * leaves_, -1);
  }
  void Add(size_t at, int32_t end) {
    for (size_t node = leaves_ + at; node != 0 && reach_[node] < end; node /= 2) reach_[node] = end;
  }
  // Calls `visit` for each placed item before `limit` that reaches beyond section `begin`.
  template <class Visit>
  void ForEach(size_t limit, int32_t begin, Visit visit) {
    stack_.assign(1, {1, 0, leaves_});
    while (!stack_.empty()) {
      const Node node = stack_.back();
      stack_.pop_back();
      if (node.first >= limit || reach_[node.index] <= begin) continue;
      if (node.count == 1) {
        visit(node.first);
        continue;
      }
      const size_t half = node.count / 2;
      stack_.push_back({2 * node.index + 1, node.first + half, half});
      stack_.push_back({2 * node.index, node.first, half});
    }
  }

 private:
  struct Node {
    size_t index, first, count;
  };
  size_t leaves_;
  std::vector<int32_t> reach_;
  std::vector<Node> stack_;
};

std::vector<uint32_t> OrderOf(std::span<const ModelItem> items, FitOrder order) {
  std::vector<uint32_t> sorted(items.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  const auto area = [](const ModelItem& item) {
    return static_cast<double>(item.size) * static_cast<double>(item.duration);
  };
  std::ranges::sort(sorted, [&](uint32_t x, uint32_t y) {
    const ModelItem& a = items[x];
    const ModelItem& b = items[y];
    if ((a.fixed >= 0) != (b.fixed >= 0)) return a.fixed >= 0;
    const int64_t raw_a = a.size - a.pad;
    const int64_t raw_b = b.size - b.pad;
    switch (order) {
      case FitOrder::kSize:
        if (raw_a != raw_b) return raw_a > raw_b;
        if (a.ticks != b.ticks) return a.ticks > b.ticks;
        break;
      case FitOrder::kDuration:
        if (a.ticks != b.ticks) return a.ticks > b.ticks;
        if (raw_a != raw_b) return raw_a > raw_b;
        break;
      case FitOrder::kArea:
        if (area(a) != area(b)) return area(a) > area(b);
        break;
      case FitOrder::kStart:
        if (a.hull.begin != b.hull.begin) return a.hull.begin < b.hull.begin;
        if (raw_a != raw_b) return raw_a > raw_b;
        break;
    }
    return a.source < b.source;
  });
  return sorted;
}

// The lowest offset of the hole that the rule prefers; above everything if no hole is large enough.
int64_t ChooseOffset(std::span<const std::pair<int64_t, int64_t>> used, const ModelItem& item,
                     FitHole hole) {
  int64_t top = 0;
  int64_t best = -1;
  int64_t best_length = 0;
  for (const auto& [begin, end] : used) {
    const int64_t from = RoundUp(top, item.alignment);
    if (begin - from >= item.size && (best < 0 || begin - from < best_length)) {
      best = from;
      best_length = begin - from;
      if (hole == FitHole::kFirst) return best;
    }
    top = std::max(top, end);
  }
  return best >= 0 ? best : RoundUp(top, item.alignment);
}

}  // namespace

bool Fit(const PackModel& model, const PackComponent& component, const FitRule& rule,
         uint64_t& visits, Fitted& out) {
  const std::span<const ModelItem> items(model.items.data() + component.first,
                                         component.last - component.first);
  out.offsets.assign(items.size(), 0);
  out.height = 0;
  PlacedTree placed(items.size());
  std::vector<int64_t> tops(items.size());
  std::vector<std::pair<int64_t, int64_t>> used;
  const bool gaps =
      std::ranges::any_of(items, [](const ModelItem& item) { return item.piece_count > 1; });
  for (const uint32_t i : OrderOf(items, rule.order)) {
    const ModelItem& item = items[i];
    used.clear();
    const auto limit = static_cast<size_t>(
        std::ranges::partition_point(
            items, [&](const ModelItem& other) { return other.hull.begin < item.hull.end; }) -
        items.begin());
    uint64_t seen = 1;
    placed.ForEach(limit, item.hull.begin, [&](size_t at) {
      seen += gaps ? item.piece_count + items[at].piece_count : 1;
      if (!gaps || model.Overlap(item, items[at])) used.emplace_back(out.offsets[at], tops[at]);
    });
    if (seen > visits) return false;
    visits -= seen;
    std::ranges::sort(used);
    out.offsets[i] = item.fixed >= 0 ? item.fixed : ChooseOffset(used, item, rule.hole);
    tops[i] = out.offsets[i] + item.size;
    out.height = std::max(out.height, tops[i] - item.pad);
    placed.Add(i, item.hull.end);
  }
  return true;
}

namespace {

// Holes below the top, searchable by length and by offset.
class FreeList {
 public:
  int64_t Take(int64_t size) {
    const auto hole = by_length_.lower_bound({size, 0});
    if (hole == by_length_.end()) return TakeAtTop(size);
    const auto [length, offset] = *hole;
    Remove(offset, length);
    if (length > size) Insert(offset + size, length - size);
    return offset;
  }
  void Give(int64_t offset, int64_t size) {
    const auto after = by_offset_.lower_bound(offset);
    if (after != by_offset_.end() && after->first == offset + size) {
      const int64_t length = after->second;
      size += length;
      Remove(after->first, length);
    }
    const auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.begin()) {
      const auto [start, length] = *std::prev(next);
      if (start + length == offset) {
        Remove(start, length);
        offset = start;
        size += length;
      }
    }
    Insert(offset, size);
  }

 private:
  // A hole that ends at the top is extended instead of being left behind.
  int64_t TakeAtTop(int64_t size) {
    int64_t offset = top_;
    if (!by_offset_.empty()) {
      const auto [start, length] = *by_offset_.rbegin();
      if (start + length == top_) {
        Remove(start, length);
        offset = start;
      }
    }
    top_ = offset + size;
    return offset;
  }
  void Insert(int64_t offset, int64_t length) {
    by_offset_.emplace(offset, length);
    by_length_.emplace(length, offset);
  }
  void Remove(int64_t offset, int64_t length) {
    by_offset_.erase(offset);
    by_length_.erase({length, offset});
  }

  int64_t top_ = 0;
  std::map<int64_t, int64_t> by_offset_;
  std::set<std::pair<int64_t, int64_t>> by_length_;
};

}  // namespace

bool FitThroughTime(const PackModel& model, const PackComponent& component, Fitted& out) {
  const std::span<const ModelItem> items(model.items.data() + component.first,
                                         component.last - component.first);
  for (const ModelItem& item : items) {
    if (item.fixed >= 0 || item.alignment != model.grain) return false;
  }
  out.offsets.assign(items.size(), 0);
  out.height = 0;
  FreeList free;
  std::priority_queue<std::pair<int32_t, uint32_t>, std::vector<std::pair<int32_t, uint32_t>>,
                      std::greater<>>
      ends;
  for (const uint32_t i : OrderOf(items, FitOrder::kStart)) {
    const ModelItem& item = items[i];
    while (!ends.empty() && ends.top().first <= item.hull.begin) {
      const uint32_t gone = ends.top().second;
      ends.pop();
      free.Give(out.offsets[gone], items[gone].size);
    }
    out.offsets[i] = free.Take(item.size);
    out.height = std::max(out.height, out.offsets[i] + item.size - item.pad);
    ends.emplace(item.hull.end, i);
  }
  return true;
}

}  // namespace halo
