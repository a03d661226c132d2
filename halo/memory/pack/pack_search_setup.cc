// What a search prepares once per component and before each run: which items interfere, which are
// interchangeable, and the order in which choices are tried.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "halo/memory/pack/pack_search.h"

namespace halo {
namespace {

// Calls `visit(i, j)` for each pair that is live together, i before j.
template <class Visit>
void ForEachOverlap(const PackModel& model, std::span<const ModelItem> items, Visit visit) {
  for (uint32_t i = 0; i < items.size(); ++i) {
    for (uint32_t j = i + 1; j < items.size() && items[j].hull.begin < items[i].hull.end; ++j) {
      if (model.Overlap(items[i], items[j]) && !visit(i, j)) return;
    }
  }
}

bool SameKind(const PackModel& model, const ModelItem& a, const ModelItem& b) {
  return a.size == b.size && a.pad == b.pad && a.alignment == b.alignment && a.fixed < 0 &&
         b.fixed < 0 && std::ranges::equal(model.pieces_of(a), model.pieces_of(b));
}

// Between 0 and 1, the same on every machine.
double NextRandom(uint64_t& state) {
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return static_cast<double>(state >> 11U) * 0x1p-53;
}

}  // namespace

uint64_t PackSearch::CountOverlaps(const PackModel& model, const PackComponent& component,
                                   uint64_t limit) {
  uint64_t count = 0;
  ForEachOverlap(model, {model.items.data() + component.first, component.last - component.first},
                 [&](uint32_t, uint32_t) { return ++count < limit; });
  return count;
}

PackSearch::PackSearch(const PackModel& model, const PackComponent& component)
    : items_(model.items.begin() + component.first, model.items.begin() + component.last) {
  const std::span<const ModelItem> whole(model.items.data() + component.first, items_.size());
  std::vector<std::vector<uint32_t>> overlaps(items_.size());
  ForEachOverlap(model, whole, [&](uint32_t i, uint32_t j) {
    overlaps[i].push_back(j);
    overlaps[j].push_back(i);
    return true;
  });
  kind_.resize(items_.size());
  for (uint32_t i = 0; i < items_.size(); ++i) {
    first_overlap_.push_back(static_cast<uint32_t>(overlaps_.size()));
    overlaps_.insert(overlaps_.end(), overlaps[i].begin(), overlaps[i].end());
    kind_[i] = i;
    for (uint32_t j = i; j-- > 0 && whole[j].hull.begin == whole[i].hull.begin;) {
      if (SameKind(model, whole[i], whole[j])) kind_[i] = kind_[j];
    }
  }
  first_overlap_.push_back(static_cast<uint32_t>(overlaps_.size()));

  const int32_t base = items_.front().hull.begin;
  for (ModelItem& item : items_) {
    const std::span<const SectionRange> pieces = model.pieces_of(item);
    item.first_piece = static_cast<uint32_t>(pieces_.size());
    for (const SectionRange& piece : pieces)
      pieces_.push_back({piece.begin - base, piece.end - base});
    item.hull = {item.hull.begin - base, item.hull.end - base};
    sections_ = std::max(sections_, item.hull.end);
    gaps_ |= item.piece_count > 1;
    mixed_ |= item.alignment != model.grain;
  }
  for (int32_t s = 0; s < sections_; ++s) {
    all_totals_.push_back(model.totals[base + s]);
    top_pads_.push_back(model.top_pads[base + s]);
  }
  std::vector<uint32_t> live(sections_, 0);
  for (const SectionRange& piece : pieces_) {
    for (int32_t s = piece.begin; s < piece.end; ++s) ++live[s];
  }
  first_live_.resize(sections_);
  std::exclusive_scan(live.begin(), live.end(), first_live_.begin(), 0U);
  live_.resize(first_live_.back() + live.back());
}

void PackSearch::Reset(int64_t height) {
  height_ = height;
  nodes_ = 0;
  changes_.clear();
  placed_order_.clear();
  choice_stack_.clear();
  offset_.assign(items_.size(), 0);
  lowest_.assign(items_.size(), 0);
  placed_.assign(items_.size(), 0);
  level_.assign(sections_, 0);
  top_.assign(sections_, 0);
  total_ = all_totals_;
  choices_.assign(sections_, 0);
  live_count_.assign(sections_, 0);
  bridges_.assign(sections_, 0);
  for (uint32_t i = 0; i < items_.size(); ++i) {
    lowest_[i] = std::max<int64_t>(items_[i].fixed, 0);
    for (const SectionRange& piece : pieces_of(i)) {
      for (int32_t s = piece.begin; s < piece.end; ++s)
        live_[first_live_[s] + live_count_[s]++] = i;
    }
    for (int32_t s = items_[i].hull.begin; s + 1 < items_[i].hull.end; ++s) ++bridges_[s];
  }
}

void PackSearch::Rank() {
  using First = SearchStrategy::First;
  uint64_t random = strategy_.noise * 0x9E3779B97F4A7C15ULL + 0x2545F4914F6CDD1DULL;
  if (random == 0) random = 1;
  std::vector<std::array<double, 3>> keys(items_.size());
  for (uint32_t i = 0; i < items_.size(); ++i) {
    const ModelItem& item = items_[i];
    double noise = 1;
    if (strategy_.noise != 0) noise = std::exp(NextRandom(random) - 0.5);
    const double size = static_cast<double>(item.size) * noise;
    const double duration = static_cast<double>(item.duration) * noise;
    const double area = duration * static_cast<double>(item.size);
    int64_t total = 0;
    for (const SectionRange& piece : pieces_of(i)) {
      for (int32_t s = piece.begin; s < piece.end; ++s) total = std::max(total, all_totals_[s]);
    }
    const auto full = static_cast<double>(total);
    switch (strategy_.first) {
      case First::kWide: keys[i] = {duration, area, full}; break;
      case First::kFull: keys[i] = {full, area, duration}; break;
      case First::kLarge: keys[i] = {area, duration, full}; break;
      case First::kNarrow: keys[i] = {-duration, size, full}; break;
      case First::kTall: keys[i] = {size, duration, full}; break;
    }
  }
  std::vector<uint32_t> order(items_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    return keys[a] != keys[b] ? keys[a] > keys[b] : items_[a].source < items_[b].source;
  });
  rank_.resize(items_.size());
  for (uint32_t r = 0; r < order.size(); ++r) rank_[order[r]] = r;
}

}  // namespace halo
