// Assigns buffers one by one, the largest first: each gets a new allocation, an operand's
// allocation, or one that became free, or is left to the heap.
#include "halo/memory/assign/assigner.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace halo {

void Assigner::Run(std::span<const PresetAllocation> presets) {
  AssignPresets(presets);
  AssignComputations(/*is_thread_local=*/false);
  AssignHeaps();
  AssignComputations(/*is_thread_local=*/true);
  MarkLiveOut();
  JoinTemps();
}

void Assigner::AssignPresets(std::span<const PresetAllocation> presets) {
  for (const PresetAllocation& preset : presets) {
    const uint32_t allocation = NewAllocation(preset.size, preset.color);
    for (const PlannedAllocation::Placed& given : preset.values) {
      const BufferId buffer = problem_.value(given.value).buffer;
      if (!buffer.valid() || allocation_of_[given.value.index()] != kNowhere) continue;
      for (const FlowId value : ValuesOf(buffer)) {
        PutValue(allocation, value, given.offset, given.size);
      }
    }
  }
}

std::vector<BufferId> Assigner::SortedBuffers(bool is_thread_local) const {
  struct Key {
    int64_t size;
    bool lives_out;
    uint32_t position;
    int64_t start;
    BufferId buffer;
  };
  std::vector<Key> keys;
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    const BufferId buffer(i);
    const std::vector<FlowId>& values = ValuesOf(buffer);
    if (values.empty() || problem_.value(values[0]).is_thread_local != is_thread_local ||
        allocation_of_[values[0].index()] != kNowhere) {
      continue;
    }
    uint32_t position = UINT32_MAX;
    for (const FlowId value : values) {
      position = std::min(position, problem_.value(value).position);
    }
    keys.push_back({SizeOf(buffer), lives_out(buffer), position, RangeOf(buffer).start, buffer});
  }
  const bool by_id = is_thread_local && rules_.numbers_thread_locals_by_id;
  const bool by_time = rules_.assigns_by_time;
  std::sort(keys.begin(), keys.end(), [by_id, by_time](const Key& a, const Key& b) {
    if (by_id) return std::tuple(a.position, a.buffer) < std::tuple(b.position, b.buffer);
    if (by_time) {
      return std::tuple(a.start, -a.size, !a.lives_out, a.buffer) <
             std::tuple(b.start, -b.size, !b.lives_out, b.buffer);
    }
    return std::tuple(-a.size, !a.lives_out, a.position, a.buffer) <
           std::tuple(-b.size, !b.lives_out, b.position, b.buffer);
  });
  std::vector<BufferId> sorted;
  sorted.reserve(keys.size());
  for (const Key& key : keys) sorted.push_back(key.buffer);
  return sorted;
}

void Assigner::AssignComputations(bool is_thread_local) {
  reusable_.Clear();
  in_use_.clear();
  free_again_.clear();
  taken_always_.clear();
  for (const BufferId buffer : SortedBuffers(is_thread_local)) {
    if (!AssignSpecial(buffer, is_thread_local)) AssignOrDelay(buffer);
  }
}

uint32_t Assigner::NewAllocation(int64_t size, int64_t color) {
  PlannedAllocation allocation;
  allocation.size = size;
  allocation.color = color;
  allocations_.push_back(std::move(allocation));
  occupied_.emplace_back();
  refused_.emplace_back();
  return static_cast<uint32_t>(allocations_.size() - 1);
}

void Assigner::PutValue(uint32_t number, FlowId value, int64_t offset, int64_t size) {
  PlannedAllocation& allocation = allocations_[number];
  allocation.values.push_back({value, offset, size});
  allocation.holds_staying |= problem_.value(value).stays_inside;
  allocation.window.Take(RangeOf(value), problem_.end);
  if (occupied_[number] != nullptr) occupied_[number]->Add(value, RangeOf(value));
  allocation_of_[value.index()] = number;
}

void Assigner::Put(uint32_t allocation, BufferId buffer) {
  for (const FlowId value : ValuesOf(buffer)) {
    PutValue(allocation, value, 0, SizeOf(buffer));
  }
  if (lives_out(buffer)) allocations_[allocation].lives_out = true;
  reusable_.Update(allocation, allocations_[allocation].window);
}

bool Assigner::AssignSpecial(BufferId buffer, bool is_thread_local) {
  const std::vector<FlowId>& values = ValuesOf(buffer);
  const auto allocate = [&] {
    const uint32_t allocation = NewAllocation(SizeOf(buffer), ColorOf(buffer));
    Put(allocation, buffer);
    return allocation;
  };
  for (const FlowId id : values) {
    const ProblemValue& value = problem_.value(id);
    if (value.is_constant) {
      if (rules_.places_constants) allocations_[allocate()].is_constant = true;
      return true;
    }
    if (value.parameter >= 0) {
      const uint32_t allocation = allocate();
      allocations_[allocation].parameter = id;
      allocations_[allocation].is_donated = value.is_donated;
      if (value.is_donated && !rules_.assigns_by_time) AddReusable(allocation);
      return true;
    }
  }
  const bool is_tuple = std::any_of(values.begin(), values.end(),
                                    [&](FlowId id) { return problem_.value(id).is_tuple; });
  if (!is_thread_local && !is_tuple) return false;
  const uint32_t allocation = allocate();
  allocations_[allocation].is_thread_local = is_thread_local;
  allocations_[allocation].is_tuple = is_tuple;
  return true;
}

void Assigner::AssignOrDelay(BufferId buffer) {
  std::vector<FlowId> operands;
  for (const FlowId value : ValuesOf(buffer)) {
    if (!problem_.value(value).is_at_top) continue;
    problem_.OperandsOf(value, operands);
    for (const FlowId operand : operands) {
      if (!operand.valid() || allocation_of_[operand.index()] == kNowhere) continue;
      if (TryAllocation(allocation_of_[operand.index()], buffer)) return;
    }
  }
  if (rules_.assigns_by_time ? TryFreeByTime(buffer) : TryReusableAllocations(buffer)) return;
  if (!lives_out(buffer)) {
    for (const FlowId value : ValuesOf(buffer)) delayed_.push_back(value);
    return;
  }
  const uint32_t allocation = NewAllocation(SizeOf(buffer), ColorOf(buffer));
  Put(allocation, buffer);
  KeepReusable(allocation, buffer);
}

bool Assigner::TryFreeByTime(BufferId buffer) {
  const TimeSpan range = RangeOf(buffer);
  while (!in_use_.empty() && in_use_.begin()->first <= range.start) {
    const uint32_t allocation = in_use_.begin()->second;
    in_use_.erase(in_use_.begin());
    free_again_[allocations_[allocation].color].emplace(allocations_[allocation].size, allocation);
  }
  auto& free = free_again_[ColorOf(buffer)];
  for (auto allocation = free.lower_bound({SizeOf(buffer), 0}); allocation != free.end();
       ++allocation) {
    if (lives_out(buffer) && allocation->first > SizeOf(buffer)) break;  // its size must be equal
    if (!TryAllocation(allocation->second, buffer)) continue;
    in_use_.emplace(range.end, allocation->second);
    free.erase(allocation);
    return true;
  }
  return false;
}

void Assigner::KeepReusable(uint32_t allocation, BufferId buffer) {
  if (rules_.assigns_by_time) {
    in_use_.emplace(RangeOf(buffer).end, allocation);
  } else {
    AddReusable(allocation);
  }
}

TimeSpan Assigner::RangeOf(BufferId buffer) const {
  TimeSpan all{std::numeric_limits<int64_t>::max(), -1};
  for (const FlowId value : ValuesOf(buffer)) {
    const TimeSpan range = RangeOf(value);
    if (!range.known()) continue;
    all.start = std::min(all.start, range.start);
    all.end = std::max(all.end, range.end);
  }
  return all;
}

bool Assigner::IsAlwaysTaken(const PlannedAllocation& allocation) const {
  std::vector<TimeSpan> spans;
  for (const PlannedAllocation::Placed& placed : allocation.values) {
    spans.push_back(RangeOf(placed.value));
    if (!spans.back().known()) return false;
  }
  std::sort(spans.begin(), spans.end(),
            [](const TimeSpan& a, const TimeSpan& b) { return a.start < b.start; });
  int64_t until = -1;
  for (const TimeSpan& span : spans) {
    if (span.start > until + 1) return false;
    until = std::max(until, span.end);
  }
  return until >= problem_.end;
}

void Assigner::AddReusable(uint32_t number) {
  const PlannedAllocation& allocation = allocations_[number];
  if (!IsAlwaysTaken(allocation)) {
    reusable_.Add(number, allocation.window);
    return;
  }
  for (const PlannedAllocation::Placed& placed : allocation.values) {
    const TimeSpan span = RangeOf(placed.value);
    for (const int64_t time : {span.start, span.end}) {
      std::vector<uint32_t>& there = taken_always_[time];
      if (there.empty() || there.back() != number) there.push_back(number);
    }
  }
}

bool Assigner::TryReusableAllocations(BufferId buffer) {
  // A buffer fits an allocation that is taken at all times only if its live range overlaps others
  // at its ends alone.
  std::vector<uint32_t> passing;
  const std::vector<FlowId>& values = ValuesOf(buffer);
  const TimeSpan span = RangeOf(values[0]);
  if (span.end - span.start <= 1) {
    for (const int64_t time : {span.start, span.end}) {
      const auto found = taken_always_.find(time);
      if (found == taken_always_.end()) continue;
      passing.insert(passing.end(), found->second.begin(), found->second.end());
    }
    std::sort(passing.begin(), passing.end());
    passing.erase(std::unique(passing.begin(), passing.end()), passing.end());
  }
  // Newest allocation first. Sizes never increase from one to the next, and a buffer that leaves
  // the program takes only an allocation of the same size.
  const auto is_too_large = [&](uint32_t allocation) {
    return lives_out(buffer) && allocations_[allocation].size > SizeOf(buffer);
  };
  NeededWindow window(problem_.end);
  for (const FlowId value : values) window.Add(RangeOf(value));
  auto gap = reusable_.Newest(window.span());
  auto pass = passing.rbegin();
  while (gap || pass != passing.rend()) {
    const bool takes_gap = pass == passing.rend() || (gap && *gap > *pass);
    const uint32_t next = takes_gap ? *gap : *pass;
    if (is_too_large(next)) return false;
    if (TryAllocation(next, buffer)) return true;
    if (takes_gap) {
      gap = reusable_.NewestBefore(*gap, window.span());
    } else {
      ++pass;
    }
  }
  return false;
}

bool Assigner::TryAllocation(uint32_t number, BufferId buffer) {
  const PlannedAllocation& allocation = allocations_[number];
  if (ColorOf(buffer) != allocation.color || SizeOf(buffer) > allocation.size) return false;
  if ((allocation.parameter.valid() && !allocation.is_donated) || allocation.is_constant)
    return false;
  if (allocation.is_thread_local || allocation.is_tuple) return false;
  if (lives_out(buffer) && allocation.size != SizeOf(buffer)) return false;
  if (!MayLeave(allocation, buffer)) return false;
  // Values of a buffer often name the same allocation.
  if (refused_[number] == buffer) return false;
  if (IsOccupied(number, buffer) || HoldsCopy(number, buffer)) {
    refused_[number] = buffer;
    return false;
  }
  Put(number, buffer);
  return true;
}

bool Assigner::IsOccupied(uint32_t number, BufferId buffer) {
  constexpr size_t kFew = 8;  // values that are compared faster than they are indexed
  const std::vector<PlannedAllocation::Placed>& placed = allocations_[number].values;
  const std::vector<FlowId>& values = ValuesOf(buffer);
  if (placed.size() <= kFew) {
    return std::any_of(values.begin(), values.end(), [&](FlowId value) {
      return std::any_of(placed.begin(), placed.end(), [&](const PlannedAllocation::Placed& other) {
        return Interferes(value, other.value);
      });
    });
  }
  std::unique_ptr<OccupiedTimes>& occupied = occupied_[number];
  if (occupied == nullptr) {
    occupied = std::make_unique<OccupiedTimes>();
    for (const PlannedAllocation::Placed& other : placed) {
      occupied->Add(other.value, RangeOf(other.value));
    }
  }
  return std::any_of(values.begin(), values.end(), [&](FlowId value) {
    return occupied->Overlaps(RangeOf(value)) ||
           occupied->AnyTouching(RangeOf(value),
                                 [&](FlowId other) { return Interferes(value, other); });
  });
}

bool Assigner::HoldsCopy(uint32_t number, BufferId buffer) const {
  std::vector<FlowId> copied;
  for (const FlowId value : ValuesOf(buffer)) {
    problem_.CopiedBy(value, copied);
    if (std::any_of(copied.begin(), copied.end(),
                    [&](FlowId each) { return allocation_of_[each.index()] == number; })) {
      return true;
    }
  }
  return false;
}

bool Assigner::MayLeave(const PlannedAllocation& allocation, BufferId buffer) const {
  const auto stays = [&](FlowId value) { return problem_.value(value).stays_inside; };
  if (allocation.lives_out &&
      std::any_of(ValuesOf(buffer).begin(), ValuesOf(buffer).end(), stays)) {
    return false;
  }
  return !lives_out(buffer) || !allocation.holds_staying;
}

bool Assigner::Interferes(FlowId a, FlowId b) const {
  const TimeSpan x = RangeOf(a), y = RangeOf(b);
  if (x.start > y.end || y.start > x.end) return false;
  if (x.end == y.start) return !problem_.MayShareAllocation(b, a);
  if (y.end == x.start) return !problem_.MayShareAllocation(a, b);
  return true;
}

void Assigner::MarkLiveOut() {
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    if (!problem_.lives_out[i] || problem_.buffers[i].empty()) continue;
    const uint32_t allocation = allocation_of_[problem_.buffers[i][0].index()];
    if (allocation != kNowhere) allocations_[allocation].lives_out = true;
  }
}

}  // namespace halo
