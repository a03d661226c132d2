// The heaps: one for each color, filled by replaying the flattened schedule, and joined with the
// other temporary rooms in the end.
#include <algorithm>
#include <map>
#include <tuple>

#include "halo/memory/assigner.h"
#include "halo/memory/heap.h"

namespace halo {
namespace {

int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

void Assigner::AssignHeaps() {
  std::map<int64_t, std::vector<FlowId>> by_color;
  for (const FlowId value : delayed_) by_color[colors_[value.index()]].push_back(value);
  // A color that may use another's gaps comes after it.
  std::vector<int64_t> order;
  for (const auto& entry : by_color) order.push_back(entry.first);
  if (options_.rules.reuses_across_colors) {
    std::sort(order.begin(), order.end(), [](int64_t a, int64_t b) {
      const bool a_uses_b = a == 0 && b == 1;
      const bool b_uses_a = b == 0 && a == 1;
      return a_uses_b != b_uses_a ? b_uses_a : a < b;
    });
  }
  for (const int64_t color : order) {
    std::vector<FlowId>& values = by_color[color];
    if (options_.rules.reuses_across_colors && color == 0) FillGapsOfOtherColors(color, values);
    if (!values.empty()) AssignHeap(color, values);
  }
}

void Assigner::AssignHeap(int64_t color, const std::vector<FlowId>& values) {
  const auto times = static_cast<size_t>(ranges_.end()) + 1;
  std::vector<FlowId> by_start = values;
  std::erase_if(by_start, [&](FlowId value) { return !ranges_.of(value).known(); });
  std::sort(by_start.begin(), by_start.end(), [&](FlowId a, FlowId b) {
    const TimeSpan x = ranges_.of(a), y = ranges_.of(b);
    return std::tuple(x.start, x.end, a) < std::tuple(y.start, y.end, b);
  });
  std::vector<std::vector<FlowId>> freed(times);
  for (const FlowId value : by_start) {
    freed[static_cast<size_t>(ranges_.of(value).end)].push_back(value);
  }

  constexpr uint32_t kNone = UINT32_MAX;
  Heap heap;
  std::vector<uint32_t> interval(flow_.size(), kNone);
  std::vector<uint32_t> first_of_buffer(buffers_.size(), kNone);
  size_t next = 0;
  for (size_t time = 0; time < times; ++time) {
    for (; next < by_start.size() && ranges_.of(by_start[next]).start == static_cast<int64_t>(time);
         ++next) {
      const FlowId value = by_start[next];
      const BufferId buffer = buffers_.of(value);
      const int64_t size = sizes_[buffer.index()];
      uint32_t& first = first_of_buffer[buffer.index()];
      if (first != kNone) {
        interval[value.index()] = heap.Share(first, size, value.value);
        continue;
      }
      // Alone in its buffer, it may take over the place of an operand that dies here.
      FlowId taken;
      if (buffers_.values(buffer).size() == 1) {
        const Place result = flow_.value(value).defined;
        const Inst& inst = module_.inst(result.inst);
        const std::span<const InstId> operands = module_.operands_of(inst);
        for (const InstId operand : operands) {
          const FlowId candidate = operand.valid() ? flow_.at(operand) : FlowId();
          if (!candidate.valid() || buffers_.values(buffers_.of(candidate)).size() > 1) continue;
          if (interval[candidate.index()] == kNone) continue;
          std::vector<FlowId>& dying = freed[time];
          const auto found = std::find(dying.begin(), dying.end(), candidate);
          if (found == dying.end()) continue;
          const Place from = flow_.value(candidate).defined;
          if (inst.opcode == Opcode::kCopy ||
              std::find(operands.begin(), operands.end(), from.inst) == operands.end() ||
              !can_share_(from, result)) {
            continue;
          }
          dying.erase(found);
          taken = candidate;
          break;
        }
      }
      if (taken.valid()) {
        heap.GiveBack(interval[taken.index()]);
        interval[value.index()] = heap.Share(interval[taken.index()], size, value.value);
      } else {
        interval[value.index()] = heap.Take(size, value.value);
        first = interval[value.index()];
      }
    }
    for (const FlowId value : freed[time]) heap.GiveBack(interval[value.index()]);
  }
  const int64_t alignment = AlignmentOf(options_.rules, color);
  const Heap::Placement placement = options_.rules.assigns_by_time && color == 0
                                        ? heap.PlaceByTime(alignment)
                                        : heap.PlaceBest(alignment);
  const uint32_t room = NewRoom(placement.size, color);
  for (const FlowId value : by_start) {
    const uint32_t number = interval[value.index()];
    PutValue(room, value, placement.offsets[number], placement.sizes[number]);
  }
}

void Assigner::FillGapsOfOtherColors(int64_t color, std::vector<FlowId>& values) {
  std::vector<uint32_t> targets;
  for (uint32_t i = 0; i < rooms_.size(); ++i) {
    if (rooms_[i].color != color && rooms_[i].color == 1 && rooms_[i].is_temp()) {
      targets.push_back(i);
    }
  }
  if (targets.empty()) return;
  std::vector<BufferId> candidates;
  for (const FlowId value : values) candidates.push_back(buffers_.of(value));
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::sort(candidates.begin(), candidates.end(), [&](BufferId a, BufferId b) {
    return std::tuple(-sizes_[a.index()], a) < std::tuple(-sizes_[b.index()], b);
  });
  const auto live_together = [&](BufferId buffer, FlowId other) {
    const TimeSpan y = ranges_.of(other);
    for (const FlowId value : buffers_.values(buffer)) {
      const TimeSpan x = ranges_.of(value);
      if (!(x.start > y.end || y.start > x.end)) return true;
    }
    return false;
  };
  for (const BufferId buffer : candidates) {
    const int64_t size = sizes_[buffer.index()];
    for (const uint32_t target : targets) {
      const Room& room = rooms_[target];
      if (size > room.size) continue;
      std::vector<std::pair<int64_t, int64_t>> blocked;
      for (const Placed& placed : room.values) {
        if (live_together(buffer, placed.value)) blocked.emplace_back(placed.offset, placed.size);
      }
      std::sort(blocked.begin(), blocked.end());
      blocked.emplace_back(room.size, 0);
      int64_t best = -1, best_slack = 0, free_from = 0;
      for (const auto& [offset, length] : blocked) {
        const int64_t at = RoundUp(free_from, AlignmentOf(options_.rules, room.color));
        const int64_t slack = offset - (at + size);
        if (slack >= 0 && (best < 0 || slack < best_slack)) {
          best = at;
          best_slack = slack;
        }
        free_from = std::max(free_from, offset + length);
      }
      if (best < 0) continue;
      for (const FlowId value : buffers_.values(buffer)) {
        PutValue(target, value, best, size);
        other_color_.push_back(value.value);
      }
      break;
    }
  }
  std::erase_if(values, [&](FlowId value) { return room_of_[value.index()] != kNowhere; });
}

void Assigner::JoinTemps() {
  // Temporary rooms go to the end by swapping, which decides the final numbers.
  size_t first = 0, last = rooms_.size();
  while (true) {
    while (first < last && !rooms_[first].is_temp()) ++first;
    while (first < last && rooms_[last - 1].is_temp()) --last;
    if (first == last) break;
    std::swap(rooms_[first], rooms_[last - 1]);
    ++first;
    --last;
  }
  std::vector<Room> joined;
  std::map<int64_t, size_t> by_color;
  for (size_t i = first; i < rooms_.size(); ++i) {
    Room& room = rooms_[i];
    const auto [entry, is_new] = by_color.try_emplace(room.color, joined.size());
    if (is_new) {
      joined.push_back(std::move(room));
      continue;
    }
    Room& into = joined[entry->second];
    const int64_t base = RoundUp(into.size, AlignmentOf(options_.rules, room.color));
    into.size = base + room.size;
    for (const Placed& placed : room.values) {
      into.values.push_back({placed.value, base + placed.offset, placed.size});
    }
  }
  rooms_.resize(first);
  for (Room& room : joined) rooms_.push_back(std::move(room));
  for (uint32_t i = 0; i < rooms_.size(); ++i) {
    for (const Placed& placed : rooms_[i].values) room_of_[placed.value.index()] = i;
  }
}

}  // namespace halo
