// Splits time into sections and sums what is live in each. A section ends only where an end is
// followed by a start, so that no section's live set contains its neighbour's.
#include "halo/memory/pack/pack_model.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "halo/base/round_up.h"

namespace halo {
namespace {

struct Event {
  int64_t time = 0;
  bool is_start = false;  // at equal times, ends come first: their time is one past the range
  uint32_t piece = 0;
};

void AddLivePieces(const PackProblem& problem, const PackItem& item, std::vector<PackRange>& out) {
  int64_t from = item.live.start;
  for (uint32_t g = 0; g < item.gap_count; ++g) {
    const PackRange& gap = problem.gaps[item.first_gap + g];
    if (gap.start > from) out.push_back({from, gap.start - 1});
    from = gap.end + 1;
  }
  if (from <= item.live.end) out.push_back({from, item.live.end});
}

// Turns time ranges into section ranges; returns the number of sections.
int32_t CutSections(const std::vector<PackRange>& live, std::vector<SectionRange>& pieces) {
  std::vector<Event> events;
  events.reserve(2 * live.size());
  for (uint32_t p = 0; p < live.size(); ++p) {
    events.push_back({live[p].start, true, p});
    events.push_back({live[p].end + 1, false, p});
  }
  std::ranges::sort(events, [](const Event& a, const Event& b) {
    if (a.time != b.time) return a.time < b.time;
    if (a.is_start != b.is_start) return !a.is_start;
    return a.piece < b.piece;
  });
  pieces.resize(live.size());
  int32_t section = 0;
  bool started = false;
  for (const Event& event : events) {
    if (event.is_start) {
      pieces[event.piece].begin = section;
      started = true;
      continue;
    }
    if (started) ++section;
    started = false;
    pieces[event.piece].end = section;
  }
  return section;
}

// At each time XLA's heap first allocates what is defined, by (start, end, number), then frees.
void CountTicks(const PackProblem& problem, PackModel& model) {
  struct Moment {
    int64_t time;
    bool is_end;
    int64_t end;
    uint32_t source, item;
  };
  std::vector<Moment> moments;
  moments.reserve(2 * model.items.size());
  for (uint32_t i = 0; i < model.items.size(); ++i) {
    const uint32_t source = model.items[i].source;
    const PackRange& live = problem.items[source].live;
    moments.push_back({live.start, false, live.end, source, i});
    moments.push_back({live.end, true, live.end, source, i});
  }
  std::ranges::sort(moments, [](const Moment& a, const Moment& b) {
    return std::tie(a.time, a.is_end, a.end, a.source) <
           std::tie(b.time, b.is_end, b.end, b.source);
  });
  for (size_t tick = 0; tick < moments.size(); ++tick) {
    const auto now = static_cast<int64_t>(tick);
    model.items[moments[tick].item].ticks += moments[tick].is_end ? now : -now;
  }
}

void SumSections(int32_t sections, PackModel& model) {
  model.totals.assign(sections + 1, 0);
  for (const ModelItem& item : model.items) {
    for (const SectionRange& piece : model.pieces_of(item)) {
      model.totals[piece.begin] += item.size;
      model.totals[piece.end] -= item.size;
    }
  }
  std::partial_sum(model.totals.begin(), model.totals.end(), model.totals.begin());
  model.totals.pop_back();
}

// Fills sections from the largest pad down; `next` skips those already filled.
void FindTopPads(int32_t sections, PackModel& model) {
  model.top_pads.assign(sections, 0);
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < model.items.size(); ++i) {
    if (model.items[i].pad > 0) order.push_back(i);
  }
  std::ranges::sort(order, std::greater<>(), [&](uint32_t i) { return model.items[i].pad; });
  std::vector<int32_t> next(sections + 1);
  std::iota(next.begin(), next.end(), 0);
  const auto find = [&next](int32_t s) {
    while (next[s] != s) s = next[s] = next[next[s]];
    return s;
  };
  for (const uint32_t i : order) {
    for (const SectionRange& piece : model.pieces_of(model.items[i])) {
      for (int32_t s = find(piece.begin); s < piece.end; s = find(s)) {
        model.top_pads[s] = model.items[i].pad;
        next[s] = s + 1;
      }
    }
  }
}

// Items with gaps can interfere pairwise without a time at which all are live, so a set that
// interferes pairwise may need more than any section does. Grows one greedily from each item.
int64_t PairwiseBound(const PackModel& model, const PackComponent& component) {
  constexpr size_t kMost = 400;
  const size_t count = component.last - component.first;
  if (count > kMost) return 0;
  std::vector<const ModelItem*> items;
  size_t pieces = 0;
  for (uint32_t i = component.first; i < component.last; ++i) {
    items.push_back(&model.items[i]);
    pieces += model.items[i].piece_count;
  }
  if (pieces == count || pieces > 4 * kMost) return 0;
  std::ranges::sort(items, [](const ModelItem* a, const ModelItem* b) {
    return std::tuple(-a->size, a->source) < std::tuple(-b->size, b->source);
  });
  std::vector<uint8_t> overlap(count * count);
  for (size_t i = 0; i < count * count; ++i) {
    overlap[i] = model.Overlap(*items[i / count], *items[i % count]) ? 1 : 0;
  }
  int64_t bound = 0;
  for (size_t start = 0; start < count; ++start) {
    std::vector<size_t> together = {start};
    int64_t sum = items[start]->size;
    int64_t pad = items[start]->pad;
    for (size_t i = 0; i < count; ++i) {
      const auto overlaps = [&](size_t other) { return overlap[i * count + other] != 0; };
      if (i == start || !std::ranges::all_of(together, overlaps)) continue;
      together.push_back(i);
      sum += items[i]->size;
      pad = std::max(pad, items[i]->pad);
    }
    bound = std::max(bound, sum - pad);
  }
  return bound;
}

void FindComponents(PackModel& model) {
  int32_t reach = -1;
  for (uint32_t i = 0; i < model.items.size(); ++i) {
    const ModelItem& item = model.items[i];
    if (item.hull.begin >= reach) model.components.push_back({i, i, 0});
    PackComponent& component = model.components.back();
    component.last = i + 1;
    reach = std::max(reach, item.hull.end);
    component.bound =
        std::max(component.bound, item.size - item.pad + std::max<int64_t>(item.fixed, 0));
    for (const SectionRange& piece : model.pieces_of(item)) {
      // Every section has a piece that begins in it, so no section is missed.
      component.bound =
          std::max(component.bound, model.totals[piece.begin] - model.top_pads[piece.begin]);
    }
  }
  for (PackComponent& component : model.components) {
    component.bound = std::max(component.bound, PairwiseBound(model, component));
    model.bound = std::max(model.bound, component.bound);
  }
}

}  // namespace

bool PackModel::PiecesOverlap(const ModelItem& a, const ModelItem& b) const {
  const std::span<const SectionRange> left = pieces_of(a);
  const std::span<const SectionRange> right = pieces_of(b);
  for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    if (left[i].begin < right[j].end && right[j].begin < left[i].end) return true;
    left[i].end <= right[j].end ? ++i : ++j;
  }
  return false;
}

PackModel MakePackModel(const PackProblem& problem) {
  PackModel model;
  std::vector<PackRange> live;
  int64_t grain = 0;
  for (uint32_t i = 0; i < problem.items.size(); ++i) {
    const PackItem& item = problem.items[i];
    if (item.size == 0) continue;
    ModelItem made;
    made.source = i;
    made.alignment = item.alignment == 0 ? problem.alignment : item.alignment;
    made.fixed = item.fixed_offset;
    made.duration = item.live.end - item.live.start + 1;
    made.first_piece = static_cast<uint32_t>(live.size());
    AddLivePieces(problem, item, live);
    made.piece_count = static_cast<uint32_t>(live.size()) - made.first_piece;
    if (made.piece_count == 0) continue;
    grain = std::gcd(grain, made.alignment);
    if (made.fixed > 0) grain = std::gcd(grain, made.fixed);
    model.items.push_back(made);
  }
  model.grain = std::max<int64_t>(grain, 1);
  const int32_t sections = CutSections(live, model.pieces);
  for (ModelItem& item : model.items) {
    const int64_t raw = problem.items[item.source].size;
    item.size = RoundUp(raw, model.grain);
    item.pad = item.size - raw;
    item.hull = {model.pieces[item.first_piece].begin,
                 model.pieces[item.first_piece + item.piece_count - 1].end};
  }
  std::ranges::sort(model.items, [](const ModelItem& a, const ModelItem& b) {
    return std::tie(a.hull.begin, a.source) < std::tie(b.hull.begin, b.source);
  });
  CountTicks(problem, model);
  SumSections(sections, model);
  FindTopPads(sections, model);
  FindComponents(model);
  return model;
}

}  // namespace halo
