// Packs: runs the fast rules on every component, then the search on the highest one, until the
// height meets the bound or a limit is reached.
#include "halo/memory/pack/pack.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>

#include "halo/base/round_up.h"
#include "halo/memory/pack/pack_fit.h"
#include "halo/memory/pack/pack_hunt.h"
#include "halo/memory/pack/pack_model.h"

namespace halo {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 61U;
constexpr int64_t kMostTime = int64_t{1} << 61U;
constexpr int64_t kMostAlignment = int64_t{1} << 40U;
// A search stores which items interfere, and its depth is its number of items.
constexpr uint32_t kMostSearched = 4096;
constexpr uint64_t kMostOverlaps = 4'000'000;

std::string_view FaultOf(const PackProblem& problem, const PackItem& item) {
  const auto time_fits = [](int64_t time) { return time >= -kMostTime && time <= kMostTime; };
  if (item.size < 0) return "its size is negative";
  if (item.size > kMostBytes) return "its size is too large";
  if (item.live.start > item.live.end) return "it ends before it starts";
  if (!time_fits(item.live.start) || !time_fits(item.live.end)) return "its times are too large";
  const int64_t alignment = item.alignment == 0 ? problem.alignment : item.alignment;
  if (alignment < 1 || alignment > kMostAlignment) return "its alignment is out of range";
  if (item.fixed_offset < -1 || item.fixed_offset > kMostBytes) return "its offset is out of range";
  if (item.fixed_offset > 0 && item.fixed_offset % alignment != 0) {
    return "its offset is not aligned";
  }
  int64_t from = item.live.start;
  for (uint32_t g = 0; g < item.gap_count; ++g) {
    const PackRange& gap = problem.gaps[item.first_gap + g];
    if (gap.start < from || gap.end < gap.start || gap.end > item.live.end) {
      return "its gaps are not in order within its live range";
    }
    from = gap.end + 1;
  }
  return {};
}

PackProblem FixedOnly(const PackProblem& problem, std::vector<int64_t>& offsets) {
  PackProblem fixed;
  fixed.gaps = problem.gaps;
  fixed.alignment = problem.alignment;
  for (const PackItem& item : problem.items) {
    if (item.fixed_offset < 0) continue;
    fixed.items.push_back(item);
    offsets.push_back(item.fixed_offset);
  }
  return fixed;
}

class Packer {
 public:
  Packer(const PackProblem& problem, const PackOptions& options)
      : options_(options),
        begin_(std::chrono::steady_clock::now()),
        model_(MakePackModel(problem)),
        best_(model_.components.size()),
        how_(model_.components.size()) {}

  Packing Run(size_t count) {
    for (uint32_t c = 0; c < best_.size(); ++c) FitComponent(c);
    if (options_.search) Search();
    Packing packing;
    packing.offsets.assign(count, 0);
    packing.lower_bound = Bound();
    packing.steps = steps_;
    if (xla_known_) packing.xla_height = std::min(xla_heights_[0], xla_heights_[1]);
    packing.method = "nothing to pack";
    for (uint32_t c = 0; c < best_.size(); ++c) {
      const PackComponent& component = model_.components[c];
      for (uint32_t i = component.first; i < component.last; ++i) {
        packing.offsets[model_.items[i].source] = best_[c].offsets[i - component.first];
      }
      if (best_[c].height > packing.height) {
        packing.height = best_[c].height;
        packing.method = how_[c];
      }
    }
    return packing;
  }

 private:
  bool Stop() const {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
    return taken.count() > options_.seconds;
  }
  bool StepsLeft() const { return options_.steps == 0 || steps_ < options_.steps; }

  int64_t Bound() const {
    int64_t bound = 0;
    for (const PackComponent& each : model_.components) bound = std::max(bound, each.bound);
    return bound;
  }
  // A height that need not be improved on.
  int64_t Goal() const { return std::max(Bound(), options_.enough); }

  void Keep(uint32_t c, Fitted& fitted, std::string_view how) {
    if (!best_[c].offsets.empty() && best_[c].height <= fitted.height) return;
    std::swap(best_[c], fitted);
    how_[c] = how;
  }

  void FitComponent(uint32_t c) {
    const PackComponent& component = model_.components[c];
    const uint64_t count = component.last - component.first;
    // XLA's rules get a budget of 4,000 interferences per item; the others get only a small one.
    uint64_t visits = std::max<uint64_t>(20'000'000, 4000 * count);
    Fitted fitted;
    for (int r = 0; r < kXlaRules; ++r) {
      if (!Fit(model_, component, kFitRules[r], visits, fitted)) {
        xla_known_ = false;
        break;
      }
      xla_heights_[r] = std::max(xla_heights_[r], fitted.height);
      Keep(c, fitted, kFitRules[r].name);
    }
    if (best_[c].height == component.bound && !best_[c].offsets.empty()) return;
    if (FitThroughTime(model_, component, fitted)) Keep(c, fitted, "best fit through time");
    visits = 4'000'000;
    for (const FitRule& rule : std::span(kFitRules).subspan(kXlaRules)) {
      if (best_[c].height == component.bound && !best_[c].offsets.empty()) return;
      if (Stop()) break;
      if (!Fit(model_, component, rule, visits, fitted)) break;
      Keep(c, fitted, rule.name);
    }
    if (best_[c].offsets.empty()) StackUp(c);
  }

  // Fallback if no rule finishes in reasonable time: stacks every item on top of the others.
  void StackUp(uint32_t c) {
    const PackComponent& component = model_.components[c];
    Fitted fitted;
    int64_t top = 0;
    for (uint32_t i = component.first; i < component.last; ++i) {
      top = std::max(top, model_.items[i].fixed + model_.items[i].size);
    }
    for (uint32_t i = component.first; i < component.last; ++i) {
      const ModelItem& item = model_.items[i];
      const int64_t offset = item.fixed >= 0 ? item.fixed : RoundUp(top, item.alignment);
      if (item.fixed < 0) top = offset + item.size;
      fitted.offsets.push_back(offset);
      fitted.height = std::max(fitted.height, offset + item.size - item.pad);
    }
    Keep(c, fitted, "stacked");
  }

  // The highest component, if it is above the goal.
  int64_t Highest() const {
    int64_t highest = -1;
    int64_t height = Goal();
    for (uint32_t c = 0; c < best_.size(); ++c) {
      if (best_[c].height > height) {
        height = best_[c].height;
        highest = c;
      }
    }
    return highest;
  }

  bool Searchable(const PackComponent& component) const {
    if (component.last - component.first > kMostSearched) return false;
    uint64_t pieces = 0;
    for (uint32_t i = component.first; i < component.last; ++i) {
      pieces += model_.items[i].piece_count;
    }
    return pieces <= uint64_t{4} * kMostSearched &&
           PackSearch::CountOverlaps(model_, component, kMostOverlaps) < kMostOverlaps;
  }

  void Search() {
    const std::function<bool()> stop = [this] { return Stop(); };
    std::map<uint32_t, std::unique_ptr<PackHunt>> hunts;
    while (!Stop() && StepsLeft()) {
      const int64_t highest = Highest();
      if (highest < 0) return;
      const auto c = static_cast<uint32_t>(highest);
      PackComponent& component = model_.components[c];
      std::unique_ptr<PackHunt>& hunt = hunts[c];
      if (hunt == nullptr) {
        if (!Searchable(component)) return;
        hunt = std::make_unique<PackHunt>(model_, component, best_[c].height);
      }
      const uint64_t left = options_.steps == 0 ? UINT64_MAX : options_.steps - steps_;
      const bool changed = hunt->Try(Goal(), left, stop);
      steps_ += hunt->nodes();
      if (!changed) continue;
      component.bound = hunt->bound();
      Fitted found{hunt->offsets(), hunt->height()};
      if (!found.offsets.empty()) Keep(c, found, "search");
      Report();
    }
  }

  void Report() const {
    if (!options_.progress) return;
    int64_t height = 0;
    for (const Fitted& each : best_) height = std::max(height, each.height);
    options_.progress(std::to_string(height) + " bytes, at least " + std::to_string(Bound()));
  }

  const PackOptions& options_;
  std::chrono::steady_clock::time_point begin_;
  PackModel model_;
  std::vector<Fitted> best_;           // by component
  std::vector<std::string_view> how_;  // by component
  int64_t xla_heights_[kXlaRules] = {};
  bool xla_known_ = true;
  uint64_t steps_ = 0;
};

}  // namespace

std::optional<PackFault> FindPackFault(const PackProblem& problem) {
  if (problem.items.size() > UINT32_MAX / 2 || problem.gaps.size() > UINT32_MAX / 2) {
    return PackFault{"there are too many items", -1};
  }
  int64_t sum = 0;
  for (size_t i = 0; i < problem.items.size(); ++i) {
    const PackItem& item = problem.items[i];
    const auto at = static_cast<int64_t>(i);
    const std::string_view fault = FaultOf(problem, item);
    if (!fault.empty()) return PackFault{std::string(fault), at};
    const int64_t alignment = item.alignment == 0 ? problem.alignment : item.alignment;
    sum += item.size + alignment;
    if (sum > kMostBytes) return PackFault{"the sum of the sizes is too large", at};
  }
  std::vector<int64_t> offsets;
  const PackProblem fixed = FixedOnly(problem, offsets);
  if (!offsets.empty() && !PackingHolds(fixed, offsets)) {
    return PackFault{"items with given offsets overlap", -1};
  }
  return std::nullopt;
}

std::optional<Packing> Pack(const PackProblem& problem, const PackOptions& options) {
  if (FindPackFault(problem)) return std::nullopt;
  Packer packer(problem, options);
  Packing packing = packer.Run(problem.items.size());
  for (size_t i = 0; i < problem.items.size(); ++i) {
    const PackItem& item = problem.items[i];
    if (item.fixed_offset < 0) continue;
    packing.offsets[i] = item.fixed_offset;
  }
  return packing;
}

bool PackingHolds(const PackProblem& problem, const std::vector<int64_t>& offsets) {
  struct Event {
    int64_t time;
    bool is_start;
    size_t item;
  };
  if (offsets.size() != problem.items.size()) return false;
  std::vector<Event> events;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const PackItem& item = problem.items[i];
    const int64_t alignment = item.alignment == 0 ? problem.alignment : item.alignment;
    if (offsets[i] < 0 || offsets[i] % alignment != 0) return false;
    if (item.fixed_offset >= 0 && offsets[i] != item.fixed_offset) return false;
    if (item.size == 0) continue;
    int64_t from = item.live.start;
    for (uint32_t g = 0; g <= item.gap_count; ++g) {
      const bool last = g == item.gap_count;
      const int64_t to = last ? item.live.end + 1 : problem.gaps[item.first_gap + g].start;
      if (from < to) {
        events.push_back({from, true, i});
        events.push_back({to, false, i});
      }
      if (!last) from = problem.gaps[item.first_gap + g].end + 1;
    }
  }
  std::ranges::sort(events, [](const Event& a, const Event& b) {
    return std::tuple(a.time, a.is_start, a.item) < std::tuple(b.time, b.is_start, b.item);
  });
  // The items live now do not overlap, so a new item can only collide with its neighbours.
  std::map<int64_t, int64_t> live;
  for (const Event& event : events) {
    const int64_t offset = offsets[event.item];
    const int64_t end = offset + problem.items[event.item].size;
    if (!event.is_start) {
      live.erase(offset);
      continue;
    }
    const auto next = live.lower_bound(offset);
    if (next != live.end() && next->first < end) return false;
    if (next != live.begin() && std::prev(next)->second > offset) return false;
    live.emplace(offset, end);
  }
  return true;
}

}  // namespace halo
