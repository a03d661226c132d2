// Assigns buffers one by one, the largest first: each gets a new allocation, an operand's
// allocation, or one that became free, or is left to the heap.
#include "halo/memory/assign/assigner.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace halo {

void Assigner::Run(std::span<const PresetRoom> presets) {
  AssignPresets(presets);
  AssignComputations(/*is_thread_local=*/false);
  AssignHeaps();
  AssignComputations(/*is_thread_local=*/true);
  MarkLiveOut();
  JoinTemps();
}

void Assigner::AssignPresets(std::span<const PresetRoom> presets) {
  for (const PresetRoom& preset : presets) {
    const uint32_t room = NewRoom(preset.size, preset.color);
    for (const Room::Placed& given : preset.values) {
      const BufferId buffer = problem_.value(given.value).buffer;
      if (!buffer.valid() || room_of_[given.value.index()] != kNowhere) continue;
      for (const FlowId value : ValuesOf(buffer)) {
        PutValue(room, value, given.offset, given.size);
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
        room_of_[values[0].index()] != kNowhere) {
      continue;
    }
    uint32_t position = UINT32_MAX;
    for (const FlowId value : values) {
      position = std::min(position, problem_.value(value).position);
    }
    keys.push_back({SizeOf(buffer), lives_out(buffer), position, RangeOf(buffer).start, buffer});
  }
  const bool by_time = rules_.assigns_by_time;
  std::sort(keys.begin(), keys.end(), [by_time](const Key& a, const Key& b) {
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
  reusable_.clear();
  in_use_.clear();
  free_again_.clear();
  taken_always_.clear();
  for (const BufferId buffer : SortedBuffers(is_thread_local)) {
    if (!AssignSpecial(buffer, is_thread_local)) AssignOrDelay(buffer);
  }
}

uint32_t Assigner::NewRoom(int64_t size, int64_t color) {
  Room room;
  room.size = size;
  room.color = color;
  rooms_.push_back(std::move(room));
  return static_cast<uint32_t>(rooms_.size() - 1);
}

void Assigner::PutValue(uint32_t room, FlowId value, int64_t offset, int64_t size) {
  rooms_[room].values.push_back({value, offset, size});
  room_of_[value.index()] = room;
}

void Assigner::Put(uint32_t room, BufferId buffer) {
  for (const FlowId value : ValuesOf(buffer)) {
    PutValue(room, value, 0, SizeOf(buffer));
  }
  if (lives_out(buffer)) rooms_[room].lives_out = true;
}

bool Assigner::AssignSpecial(BufferId buffer, bool is_thread_local) {
  const std::vector<FlowId>& values = ValuesOf(buffer);
  const auto give_room = [&] {
    const uint32_t room = NewRoom(SizeOf(buffer), ColorOf(buffer));
    Put(room, buffer);
    return room;
  };
  for (const FlowId id : values) {
    const ProblemValue& value = problem_.value(id);
    if (value.is_constant) {
      if (rules_.places_constants) rooms_[give_room()].is_constant = true;
      return true;
    }
    if (value.parameter >= 0) {
      const uint32_t room = give_room();
      rooms_[room].parameter = id;
      rooms_[room].is_donated = value.is_donated;
      if (value.is_donated && !rules_.assigns_by_time) AddReusable(room);
      return true;
    }
  }
  const bool is_tuple = std::any_of(values.begin(), values.end(),
                                    [&](FlowId id) { return problem_.value(id).is_tuple; });
  if (!is_thread_local && !is_tuple) return false;
  const uint32_t room = give_room();
  rooms_[room].is_thread_local = is_thread_local;
  rooms_[room].is_tuple = is_tuple;
  return true;
}

void Assigner::AssignOrDelay(BufferId buffer) {
  std::vector<FlowId> operands;
  for (const FlowId value : ValuesOf(buffer)) {
    if (!problem_.value(value).is_at_top) continue;
    problem_.OperandsOf(value, operands);
    for (const FlowId operand : operands) {
      if (!operand.valid() || room_of_[operand.index()] == kNowhere) continue;
      if (TryRoom(room_of_[operand.index()], buffer)) return;
    }
  }
  if (rules_.assigns_by_time ? TryFreeByTime(buffer) : TryReusableRooms(buffer)) return;
  if (!lives_out(buffer)) {
    for (const FlowId value : ValuesOf(buffer)) delayed_.push_back(value);
    return;
  }
  const uint32_t room = NewRoom(SizeOf(buffer), ColorOf(buffer));
  Put(room, buffer);
  KeepReusable(room, buffer);
}

bool Assigner::TryFreeByTime(BufferId buffer) {
  const TimeSpan range = RangeOf(buffer);
  while (!in_use_.empty() && in_use_.begin()->first <= range.start) {
    const uint32_t room = in_use_.begin()->second;
    in_use_.erase(in_use_.begin());
    free_again_[rooms_[room].color].emplace(rooms_[room].size, room);
  }
  auto& free = free_again_[ColorOf(buffer)];
  for (auto room = free.lower_bound({SizeOf(buffer), 0}); room != free.end(); ++room) {
    if (!TryRoom(room->second, buffer)) continue;
    in_use_.emplace(range.end, room->second);
    free.erase(room);
    return true;
  }
  return false;
}

void Assigner::KeepReusable(uint32_t room, BufferId buffer) {
  if (rules_.assigns_by_time) {
    in_use_.emplace(RangeOf(buffer).end, room);
  } else {
    AddReusable(room);
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

bool Assigner::IsAlwaysTaken(const Room& room) const {
  std::vector<TimeSpan> spans;
  for (const Room::Placed& placed : room.values) {
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
  const Room& room = rooms_[number];
  if (!IsAlwaysTaken(room)) {
    reusable_.push_back(number);
    return;
  }
  for (const Room::Placed& placed : room.values) {
    const TimeSpan span = RangeOf(placed.value);
    for (const int64_t time : {span.start, span.end}) {
      std::vector<uint32_t>& there = taken_always_[time];
      if (there.empty() || there.back() != number) there.push_back(number);
    }
  }
}

bool Assigner::TryReusableRooms(BufferId buffer) {
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
  // Newest allocation first.
  auto gap = reusable_.rbegin();
  auto pass = passing.rbegin();
  while (gap != reusable_.rend() || pass != passing.rend()) {
    const bool takes_gap = pass == passing.rend() || (gap != reusable_.rend() && *gap > *pass);
    if (TryRoom(takes_gap ? *gap++ : *pass++, buffer)) return true;
  }
  return false;
}

bool Assigner::TryRoom(uint32_t number, BufferId buffer) {
  const Room& room = rooms_[number];
  if (ColorOf(buffer) != room.color || SizeOf(buffer) > room.size) return false;
  if ((room.parameter.valid() && !room.is_donated) || room.is_constant) return false;
  if (room.is_thread_local || room.is_tuple) return false;
  if (lives_out(buffer) && room.size != SizeOf(buffer)) return false;
  if (!MayLeave(room, buffer)) return false;
  for (const Room::Placed& placed : room.values) {
    for (const FlowId value : ValuesOf(buffer)) {
      if (Interferes(value, placed.value) || problem_.IsCopyOf(value, placed.value)) return false;
    }
  }
  Put(number, buffer);
  return true;
}

bool Assigner::MayLeave(const Room& room, BufferId buffer) const {
  const auto stays = [&](FlowId value) { return problem_.value(value).stays_inside; };
  if (room.lives_out && std::any_of(ValuesOf(buffer).begin(), ValuesOf(buffer).end(), stays)) {
    return false;
  }
  return !lives_out(buffer) ||
         std::none_of(room.values.begin(), room.values.end(),
                      [&](const Room::Placed& placed) { return stays(placed.value); });
}

bool Assigner::Interferes(FlowId a, FlowId b) const {
  const TimeSpan x = RangeOf(a), y = RangeOf(b);
  if (x.start > y.end || y.start > x.end) return false;
  if (x.end == y.start) return !problem_.MayTakeRoom(b, a);
  if (y.end == x.start) return !problem_.MayTakeRoom(a, b);
  return true;
}

void Assigner::MarkLiveOut() {
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    if (!problem_.lives_out[i] || problem_.buffers[i].empty()) continue;
    const uint32_t room = room_of_[problem_.buffers[i][0].index()];
    if (room != kNowhere) rooms_[room].lives_out = true;
  }
}

}  // namespace halo
