// The search itself. Its pruning rule: in one section, the remaining items are jobs for one
// machine, each with an earliest start (the lowest offset it can still have). So for every offset
// h, h plus the sizes of the items that cannot start below h must stay within the height.
#include "halo/memory/pack/pack_search.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "halo/base/round_up.h"

namespace halo {

SearchEnd PackSearch::Run(const SearchStrategy& strategy, int64_t height, uint64_t nodes,
                          const std::function<bool()>& stop) {
  strategy_ = strategy;
  node_limit_ = nodes;
  stop_ = &stop;
  Reset(height);
  Rank();
  for (const ModelItem& item : items_) {
    const int64_t lowest = std::max<int64_t>(item.fixed, 0);
    if (lowest + item.size - item.pad > height) return SearchEnd::kImpossible;
  }
  if (!CheckSections(0, sections_)) return SearchEnd::kImpossible;
  const SearchEnd end = SolveParts(0, sections_);
  return end == SearchEnd::kImpossible && mixed_ ? SearchEnd::kGaveUp : end;
}

// Parts that share no section are solved one after the other: if one is impossible, no decision
// made in another can help.
SearchEnd PackSearch::SolveParts(int32_t begin, int32_t end) {
  std::vector<SectionRange> parts;
  for (int32_t s = begin; s < end;) {
    int32_t after = s + 1;
    while (after < end && bridges_[after - 1] != 0) ++after;
    if (live_count_[s] != 0) parts.push_back({s, after});
    s = after;
  }
  std::ranges::sort(parts, [](const SectionRange& a, const SectionRange& b) {
    return std::pair(a.end - a.begin, a.begin) < std::pair(b.end - b.begin, b.begin);
  });
  for (const SectionRange& part : parts) {
    const SearchEnd solved = Solve(part.begin, part.end);
    if (solved != SearchEnd::kFound) return solved;
  }
  return SearchEnd::kFound;
}

SearchEnd PackSearch::Solve(int32_t begin, int32_t end) {
  for (;;) {
    if (++nodes_ > node_limit_) return SearchEnd::kGaveUp;
    if (nodes_ % 256 == 0 && (*stop_)()) return SearchEnd::kGaveUp;
    const int32_t section = Choose(begin, end);
    const SearchEnd tried = TryChoices(section, begin, end);
    if (tried != SearchEnd::kImpossible) return tried;
    if (!PassOver(section)) return SearchEnd::kImpossible;
  }
}

SearchEnd PackSearch::TryChoices(int32_t section, int32_t begin, int32_t end) {
  const size_t first = choice_stack_.size();
  for (const uint32_t item : live_of(section)) {
    if (CanPlaceAt(item, level_[section]) && Rests(item)) choice_stack_.push_back(item);
  }
  const size_t last = choice_stack_.size();
  std::sort(choice_stack_.begin() + static_cast<ptrdiff_t>(first), choice_stack_.end(),
            [this](uint32_t a, uint32_t b) { return rank_[a] < rank_[b]; });
  const size_t changes = changes_.size();
  const size_t placed = placed_order_.size();
  for (size_t c = first; c < last; ++c) {
    const uint32_t item = choice_stack_[c];
    const auto tried_alike = [&](size_t e) { return kind_[choice_stack_[e]] == kind_[item]; };
    bool alike = false;
    for (size_t e = first; e < c && !alike; ++e) alike = tried_alike(e);
    if (alike) continue;
    bool cut = false;
    SearchEnd solved = SearchEnd::kImpossible;
    if (Place(item, cut)) solved = cut ? SolveParts(begin, end) : Solve(begin, end);
    if (solved != SearchEnd::kImpossible) return solved;
    Undo(changes, placed);
  }
  choice_stack_.resize(first);
  return SearchEnd::kImpossible;
}

std::pair<int64_t, int64_t> PackSearch::KeyOf(int32_t section) const {
  using Ask = SearchStrategy::Ask;
  const int64_t slack = height_ - level_[section] - total_[section];
  switch (strategy_.ask) {
    case Ask::kFewestChoices: return {choices_[section] + (slack > 0 ? 1 : 0), slack};
    case Ask::kLowestTightest: return {level_[section], slack};
    case Ask::kLowestFewest: return {level_[section], choices_[section]};
    case Ask::kTightest: return {slack, choices_[section]};
  }
  return {0, 0};
}

// Only in a valley is every item that fits at the level supported along its whole width, so that
// choosing it loses nothing below it. An item with gaps covers several separate ranges; then only
// the lowest level of all is safe.
bool PackSearch::IsValley(int32_t from, int32_t to, int32_t begin, int32_t end,
                          int64_t lowest) const {
  if (gaps_) return level_[from] == lowest;
  return (from == begin || level_[from - 1] > level_[from]) &&
         (to == end || level_[to] > level_[from]);
}

int32_t PackSearch::Choose(int32_t begin, int32_t end) const {
  int64_t lowest = std::numeric_limits<int64_t>::max();
  if (gaps_) {
    for (int32_t s = begin; s < end; ++s) {
      if (live_count_[s] != 0) lowest = std::min(lowest, level_[s]);
    }
  }
  int32_t best = -1;
  std::pair<int64_t, int64_t> best_key;
  for (int32_t from = begin; from < end;) {
    int32_t to = from + 1;
    while (to < end && level_[to] == level_[from]) ++to;
    if (IsValley(from, to, begin, end, lowest)) {
      for (int32_t s = from; s < to; ++s) {
        if (live_count_[s] == 0) continue;
        if (choices_[s] == 0) return s;
        const std::pair<int64_t, int64_t> key = KeyOf(s);
        if (best < 0 || key < best_key) std::tie(best, best_key) = std::pair(s, key);
      }
    }
    from = to;
  }
  return best;
}

bool PackSearch::Covers(uint32_t item, int32_t section) const {
  for (const SectionRange& piece : pieces_of(item)) {
    if (piece.begin <= section && section < piece.end) return true;
  }
  return false;
}

// In some best packing every item rests on another or on the floor; an item that would float above
// passed-over levels need not be tried.
bool PackSearch::Rests(uint32_t item) const {
  if (items_[item].fixed >= 0 || lowest_[item] == 0) return true;
  for (const SectionRange& piece : pieces_of(item)) {
    for (int32_t s = piece.begin; s < piece.end; ++s) {
      if (CanPlaceAt(item, top_[s])) return true;
    }
  }
  return false;
}

// Something else holds up the next item at the section: it is one of those that cannot be placed
// here anyway, or it rests on an item beside the section.
bool PackSearch::PassOver(int32_t section) {
  const int64_t level = level_[section];
  SectionRange reach = {section, section + 1};
  int64_t next = std::numeric_limits<int64_t>::max();
  for (const uint32_t item : live_of(section)) {
    if (!CanPlaceAt(item, level)) {
      next = std::min(next, lowest_[item]);
      continue;
    }
    reach.begin = std::min(reach.begin, items_[item].hull.begin);
    reach.end = std::max(reach.end, items_[item].hull.end);
  }
  for (int32_t s = reach.begin; s < reach.end; ++s) {
    for (const uint32_t item : live_of(s)) {
      const int64_t top = lowest_[item] + items_[item].size;
      if (top < next && !Covers(item, section)) next = top;
    }
  }
  if (next > height_) return false;
  Set(level_[section], next);
  SectionRange touched = {section, section + 1};
  for (const uint32_t item : live_of(section)) {
    if (lowest_[item] >= next) continue;
    if (!Lift(item, next)) return false;
    touched.begin = std::min(touched.begin, items_[item].hull.begin);
    touched.end = std::max(touched.end, items_[item].hull.end);
  }
  return CheckSections(touched.begin, touched.end);
}

bool PackSearch::Place(uint32_t item, bool& cut) {
  const ModelItem& placed = items_[item];
  offset_[item] = lowest_[item];
  placed_[item] = 1;
  placed_order_.push_back(item);
  const int64_t top = lowest_[item] + placed.size;
  for (const SectionRange& piece : pieces_of(item)) {
    for (int32_t s = piece.begin; s < piece.end; ++s) {
      Set(level_[s], top);
      Set(top_[s], top);
      total_[s] -= placed.size;
      const std::span<uint32_t> live = live_of(s);
      const auto at = std::ranges::find(live, item);
      std::copy(at + 1, live.end(), at);
      --live_count_[s];
    }
  }
  cut = placed.hull.end - placed.hull.begin == 1;
  for (int32_t s = placed.hull.begin; s + 1 < placed.hull.end; ++s) {
    if (--bridges_[s] == 0) cut = true;
  }
  SectionRange touched = placed.hull;
  for (uint32_t m = first_overlap_[item]; m < first_overlap_[item + 1]; ++m) {
    const uint32_t other = overlaps_[m];
    if (placed_[other] != 0 || lowest_[other] >= top) continue;
    if (!Lift(other, top)) return false;
    touched.begin = std::min(touched.begin, items_[other].hull.begin);
    touched.end = std::max(touched.end, items_[other].hull.end);
  }
  return CheckSections(touched.begin, touched.end);
}

bool PackSearch::Lift(uint32_t item, int64_t level) {
  const ModelItem& lifted = items_[item];
  if (lifted.fixed >= 0) return false;
  const int64_t lowest = mixed_ ? RoundUp(level, lifted.alignment) : level;
  if (lowest + lifted.size - lifted.pad > height_) return false;
  Set(lowest_[item], lowest);
  return true;
}

bool PackSearch::CheckSections(int32_t begin, int32_t end) {
  for (int32_t s = begin; s < end; ++s) {
    if (live_count_[s] != 0 && !CheckSection(s)) return false;
  }
  return true;
}

// Keeps the section's items sorted by lowest offset, highest first; they are nearly sorted already.
bool PackSearch::CheckSection(int32_t section) {
  const std::span<uint32_t> live = live_of(section);
  const int64_t most = height_ + top_pads_[section];
  const int64_t level = level_[section];
  int64_t stacked = 0;
  int64_t choices = 0;
  for (size_t i = 0; i < live.size(); ++i) {
    const uint32_t item = live[i];
    const int64_t lowest = lowest_[item];
    size_t to = i;
    for (; to > 0 && lowest_[live[to - 1]] < lowest; --to) live[to] = live[to - 1];
    live[to] = item;
    if (CanPlaceAt(item, level)) ++choices;
  }
  for (const uint32_t item : live) {
    stacked += items_[item].size;
    if (lowest_[item] + stacked > most) return false;
  }
  if (choices_[section] != choices) Set(choices_[section], choices);
  return true;
}

void PackSearch::Undo(size_t changes, size_t placed) {
  while (changes_.size() > changes) {
    *changes_.back().where = changes_.back().before;
    changes_.pop_back();
  }
  while (placed_order_.size() > placed) {
    const uint32_t item = placed_order_.back();
    placed_order_.pop_back();
    placed_[item] = 0;
    for (const SectionRange& piece : pieces_of(item)) {
      for (int32_t s = piece.begin; s < piece.end; ++s) {
        live_[first_live_[s] + live_count_[s]++] = item;
        total_[s] += items_[item].size;
      }
    }
    for (int32_t s = items_[item].hull.begin; s + 1 < items_[item].hull.end; ++s) ++bridges_[s];
  }
}

}  // namespace halo
