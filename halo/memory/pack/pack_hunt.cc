// The order of strategies and the limits were found by trial on minimalloc's challenging sets.
#include "halo/memory/pack/pack_hunt.h"

#include <algorithm>
#include <array>

namespace halo {
namespace {

using First = SearchStrategy::First;
using Ask = SearchStrategy::Ask;

constexpr std::array<SearchStrategy, 8> kStrategies = {{
    {First::kWide, Ask::kFewestChoices},
    {First::kFull, Ask::kFewestChoices},
    {First::kWide, Ask::kLowestTightest},
    {First::kLarge, Ask::kFewestChoices},
    {First::kFull, Ask::kLowestTightest},
    {First::kNarrow, Ask::kFewestChoices},
    {First::kFull, Ask::kLowestFewest},
    {First::kWide, Ask::kTightest},
}};

}  // namespace

PackHunt::PackHunt(const PackModel& model, const PackComponent& component, int64_t height)
    : search_(model, component), height_(height), bound_(component.bound) {
  for (uint32_t i = component.first; i < component.last; ++i) {
    raw_sizes_.push_back(model.items[i].size - model.items[i].pad);
  }
}

// Goes up from the bottom in steps that halve the remaining distance, so that an unreachable height
// does not prevent easier gains.
int64_t PackHunt::NextTarget(int64_t goal) {
  const int64_t bottom = std::max(bound_, goal);
  constexpr uint64_t kTurns = 2 * kStrategies.size();
  if (target_ >= bottom && target_ < height_ && turn_ < kTurns) return target_;
  const bool restart = target_ < bottom || target_ >= height_ - 1;
  if (target_ >= height_ - 1) ++round_;
  target_ = restart ? bottom : std::max(target_ + 1, target_ + (height_ - target_) / 2);
  turn_ = 0;
  return target_;
}

bool PackHunt::Try(int64_t goal, uint64_t nodes, const std::function<bool()>& stop) {
  const int64_t target = NextTarget(goal);
  SearchStrategy strategy = kStrategies[tries_ % kStrategies.size()];
  const uint64_t lap = tries_ / kStrategies.size();
  strategy.noise = lap % 2 == 0 && lap < 4 ? 0 : tries_;
  uint64_t limit = 8 * raw_sizes_.size() + 200;
  for (uint64_t doubled = 0; doubled < std::min<uint64_t>(lap, 24); ++doubled) limit += limit / 2;
  ++tries_;
  ++turn_;
  const SearchEnd end = search_.Run(strategy, target, std::min(limit, nodes), stop);
  if (end == SearchEnd::kImpossible) {
    bound_ = std::max(bound_, target + 1);
    return true;
  }
  if (end != SearchEnd::kFound) return false;
  offsets_ = search_.offsets();
  height_ = 0;
  for (size_t i = 0; i < offsets_.size(); ++i) {
    height_ = std::max(height_, offsets_[i] + raw_sizes_[i]);
  }
  return true;
}

}  // namespace halo
