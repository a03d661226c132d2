// Buffers one by one: the largest first, each with a room of its own, in the room of an operand, in
// one that became free, or left to the heap.
#include "halo/memory/assigner.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <tuple>

namespace halo {

Assigner::Assigner(const Dataflow& flow, const InPlacePairs& in_place, const Buffers& buffers,
                   const LiveRanges& ranges, const AssignOptions& options)
    : flow_(flow),
      module_(flow.module()),
      in_place_(in_place),
      buffers_(buffers),
      ranges_(ranges),
      options_(options),
      can_share_(flow, in_place, options.rules.backend),
      room_of_(flow.size(), kNowhere) {}

void Assigner::Run() {
  MeasureValues();
  ResizeValues();
  SortComputations();
  AssignPresets();
  AssignComputations(/*is_thread_local=*/false);
  AssignHeaps();
  AssignComputations(/*is_thread_local=*/true);
  MarkLiveOut();
  JoinTemps();
}

void Assigner::MeasureValues() {
  bytes_.assign(flow_.size(), 0);
  colors_.assign(flow_.size(), 0);
  sizes_.assign(buffers_.size(), 0);
  for (size_t i = 0; i < flow_.size(); ++i) {
    const FlowId value(i);
    if (!flow_.value(value).exists) continue;
    const ShapeId shape = flow_.shape_of(value);
    bytes_[i] = BufferBytes(module_, shape, options_.rules);
    const Layout* layout = module_.shapes.layout(shape);
    if (layout != nullptr) colors_[i] = layout->memory_space;
    int64_t& size = sizes_[buffers_.of(value).index()];
    size = std::max(size, bytes_[i]);
  }
}

void Assigner::SortComputations() {
  kinds_.assign(module_.comps.size(), Kind::kUnreached);
  std::deque<std::pair<CompId, Kind>> work = {{module_.entry, Kind::kGlobal}};
  std::vector<CompId> called;
  while (!work.empty()) {
    const auto [comp, kind] = work.front();
    work.pop_front();
    if (kinds_[comp.index()] != Kind::kUnreached) continue;
    kinds_[comp.index()] = kind;
    const Computation& computation = module_.comp(comp);
    for (uint32_t i = 0; i < computation.count; ++i) {
      const Inst& inst = module_.insts[computation.first + i];
      CalledComputations(module_, inst, called);
      const Kind inherited = RunsItsComputations(inst.opcode) ? kind : Kind::kThreadLocal;
      for (const CompId callee : called) work.emplace_back(callee, inherited);
    }
  }
  // Callers before callees, each in post-order. Text lists computations in the order in which their
  // calls are met, which is the order wanted here.
  position_.assign(module_.insts.size(), 0);
  std::vector<uint32_t> rank(module_.comps.size(), 0);
  const std::vector<CompId>& order = flow_.computations();
  for (size_t i = 0; i < order.size(); ++i) {
    rank[order[i].index()] = static_cast<uint32_t>(order.size() - i);
  }
  std::vector<uint32_t> begins(order.size() + 2, 0);
  for (const InstId inst : flow_.post_order()) {
    ++begins[rank[module_.inst(inst).parent.index()] + 1];
  }
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  for (const InstId inst : flow_.post_order()) {
    position_[inst.index()] = begins[rank[module_.inst(inst).parent.index()]]++;
  }
}

FlowId Assigner::ValueAt(const std::string& instruction, std::span<const int64_t> index) {
  if (by_name_.empty()) {
    for (const InstId inst : flow_.post_order()) {
      by_name_.emplace(module_.name_of(module_.inst(inst)), inst);
    }
  }
  const auto found = by_name_.find(instruction);
  if (found == by_name_.end()) return {};
  const auto node = flow_.trees().NodeAt(module_.inst(found->second).shape, index);
  return node ? flow_.at(found->second, *node) : FlowId();
}

void Assigner::ResizeValues() {
  for (const ResizedValue& given : options_.resized) {
    const FlowId at = ValueAt(given.instruction, given.index);
    if (!at.valid()) continue;
    const BufferId buffer = buffers_.of(at);
    for (const FlowId value : buffers_.values(buffer)) {
      bytes_[value.index()] = std::min(bytes_[value.index()], given.bytes);
    }
    sizes_[buffer.index()] = std::min(sizes_[buffer.index()], given.bytes);
  }
}

void Assigner::AssignPresets() {
  for (const PresetColor& preset : options_.presets) {
    const uint32_t room = NewRoom(preset.size, preset.color);
    for (const PresetValue& given : preset.values) {
      const FlowId at = ValueAt(given.instruction, given.index);
      if (!at.valid() || is_placed(buffers_.of(at))) continue;
      for (const FlowId value : buffers_.values(buffers_.of(at))) {
        PutValue(room, value, given.offset, given.size);
      }
    }
  }
}

std::vector<BufferId> Assigner::SortedBuffers(bool is_thread_local) const {
  const Kind wanted = is_thread_local ? Kind::kThreadLocal : Kind::kGlobal;
  struct Key {
    int64_t size;
    bool lives_out;
    uint32_t position;
    int64_t start;
    BufferId buffer;
  };
  std::vector<Key> keys;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const BufferId buffer(i);
    const std::span<const FlowId> values = buffers_.values(buffer);
    const CompId comp = module_.inst(flow_.value(values[0]).defined.inst).parent;
    if (kinds_[comp.index()] != wanted || is_placed(buffer)) continue;
    // What happens inside a fusion needs no memory of the program's.
    if (is_thread_local) {
      const std::span<const InstId> callers = flow_.calls().callers(comp);
      if (!callers.empty() && module_.inst(callers[0]).opcode == Opcode::kFusion) continue;
    }
    uint32_t position = UINT32_MAX;
    for (const FlowId value : values) {
      position = std::min(position, position_[flow_.value(value).defined.inst.index()]);
    }
    keys.push_back(
        {sizes_[i], buffers_.lives_out(buffer), position, RangeOf(buffer).start, buffer});
  }
  const bool by_time = options_.rules.assigns_by_time;
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
  for (const FlowId value : buffers_.values(buffer)) {
    PutValue(room, value, 0, sizes_[buffer.index()]);
  }
  if (buffers_.lives_out(buffer)) rooms_[room].lives_out = true;
}

bool Assigner::AssignSpecial(BufferId buffer, bool is_thread_local) {
  const std::span<const FlowId> values = buffers_.values(buffer);
  const int64_t size = sizes_[buffer.index()];
  const int64_t color = colors_[values[0].index()];
  for (const FlowId value : values) {
    const Place defined = flow_.value(value).defined;
    const Inst& inst = module_.inst(defined.inst);
    if (inst.opcode == Opcode::kConstant) {
      if (options_.rules.places_constants) {
        const uint32_t room = NewRoom(size, color);
        Put(room, buffer);
        rooms_[room].is_constant = true;
      }
      return true;
    }
    if (inst.opcode == Opcode::kParameter && inst.parent == module_.entry) {
      const uint32_t room = NewRoom(size, color);
      Put(room, buffer);
      rooms_[room].parameter = inst.extra;
      rooms_[room].parameter_node = defined.node;
      rooms_[room].is_donated = buffers_.is_donated(inst.extra, defined.node);
      if (rooms_[room].is_donated) AddReusable(room);
      return true;
    }
  }
  const bool is_tuple = std::any_of(values.begin(), values.end(), [&](FlowId value) {
    return module_.shapes.is_tuple(flow_.shape_of(value));
  });
  if (!is_thread_local && !is_tuple) return false;
  const uint32_t room = NewRoom(size, color);
  Put(room, buffer);
  rooms_[room].is_thread_local = is_thread_local;
  rooms_[room].is_tuple = is_tuple;
  return true;
}

void Assigner::AssignOrDelay(BufferId buffer) {
  for (const FlowId value : buffers_.values(buffer)) {
    const Place defined = flow_.value(value).defined;
    if (defined.node != 0) continue;
    for (const InstId operand : module_.operands_of(module_.inst(defined.inst))) {
      const FlowId at = operand.valid() ? flow_.at(operand) : FlowId();
      if (!at.valid() || room_of_[at.index()] == kNowhere) continue;
      if (TryRoom(room_of_[at.index()], buffer)) return;
    }
  }
  if (options_.rules.assigns_by_time ? TryFreeByTime(buffer) : TryReusableRooms(buffer)) return;
  if (!buffers_.lives_out(buffer)) {
    for (const FlowId value : buffers_.values(buffer)) delayed_.push_back(value);
    return;
  }
  const uint32_t room =
      NewRoom(sizes_[buffer.index()], colors_[buffers_.values(buffer)[0].index()]);
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
  auto& free = free_again_[colors_[buffers_.values(buffer)[0].index()]];
  for (auto room = free.lower_bound({sizes_[buffer.index()], 0}); room != free.end(); ++room) {
    if (!TryRoom(room->second, buffer)) continue;
    in_use_.emplace(range.end, room->second);
    free.erase(room);
    return true;
  }
  return false;
}

void Assigner::KeepReusable(uint32_t room, BufferId buffer) {
  if (options_.rules.assigns_by_time) {
    in_use_.emplace(RangeOf(buffer).end, room);
  } else {
    AddReusable(room);
  }
}

TimeSpan Assigner::RangeOf(BufferId buffer) const {
  TimeSpan all{std::numeric_limits<int64_t>::max(), -1};
  for (const FlowId value : buffers_.values(buffer)) {
    const TimeSpan range = ranges_.of(value);
    if (!range.known()) continue;
    all.start = std::min(all.start, range.start);
    all.end = std::max(all.end, range.end);
  }
  return all;
}

bool Assigner::IsAlwaysTaken(const Room& room) const {
  std::vector<TimeSpan> spans;
  for (const Placed& placed : room.values) {
    spans.push_back(ranges_.of(placed.value));
    if (!spans.back().known()) return false;
  }
  std::sort(spans.begin(), spans.end(),
            [](const TimeSpan& a, const TimeSpan& b) { return a.start < b.start; });
  int64_t until = -1;
  for (const TimeSpan& span : spans) {
    if (span.start > until + 1) return false;
    until = std::max(until, span.end);
  }
  return until >= ranges_.end();
}

void Assigner::AddReusable(uint32_t number) {
  const Room& room = rooms_[number];
  if (!IsAlwaysTaken(room)) {
    reusable_.push_back(number);
    return;
  }
  for (const Placed& placed : room.values) {
    const TimeSpan span = ranges_.of(placed.value);
    for (const int64_t time : {span.start, span.end}) {
      std::vector<uint32_t>& there = taken_always_[time];
      if (there.empty() || there.back() != number) there.push_back(number);
    }
  }
}

bool Assigner::TryReusableRooms(BufferId buffer) {
  // Where all times are taken, a value passes only if it meets others with its ends alone.
  std::vector<uint32_t> passing;
  const std::span<const FlowId> values = buffers_.values(buffer);
  const TimeSpan span = ranges_.of(values[0]);
  if (span.end - span.start <= 1) {
    for (const int64_t time : {span.start, span.end}) {
      const auto found = taken_always_.find(time);
      if (found == taken_always_.end()) continue;
      passing.insert(passing.end(), found->second.begin(), found->second.end());
    }
    std::sort(passing.begin(), passing.end());
    passing.erase(std::unique(passing.begin(), passing.end()), passing.end());
  }
  // The newest first.
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
  const std::span<const FlowId> values = buffers_.values(buffer);
  if (colors_[values[0].index()] != room.color || sizes_[buffer.index()] > room.size) return false;
  if ((room.parameter >= 0 && !room.is_donated) || room.is_constant) return false;
  if (room.is_thread_local || room.is_tuple) return false;
  if (buffers_.lives_out(buffer) && room.size != sizes_[buffer.index()]) return false;
  for (const Placed& placed : room.values) {
    for (const FlowId value : values) {
      if (Interferes(value, placed.value)) return false;
      const InstId copy = flow_.value(value).defined.inst;
      if (module_.inst(copy).opcode != Opcode::kCopy) continue;
      const std::span<const InstId> operands = module_.operands_of(module_.inst(copy));
      for (const Place& place : flow_.places(placed.value)) {
        if (std::find(operands.begin(), operands.end(), place.inst) != operands.end()) return false;
      }
    }
  }
  Put(number, buffer);
  return true;
}

bool Assigner::Interferes(FlowId a, FlowId b) const {
  const TimeSpan x = ranges_.of(a), y = ranges_.of(b);
  if (x.start > y.end || y.start > x.end) return false;
  if (x.end == y.start) return !SharesAsOperand(b, a);
  if (y.end == x.start) return !SharesAsOperand(a, b);
  return true;
}

bool Assigner::SharesAsOperand(FlowId user, FlowId operand) const {
  const Place result = flow_.value(user).defined;
  const Inst& inst = module_.inst(result.inst);
  if (inst.opcode == Opcode::kCopy) return false;
  const std::span<const InstId> operands = module_.operands_of(inst);
  const auto shares = [&](Place place) {
    return std::find(operands.begin(), operands.end(), place.inst) != operands.end() &&
           can_share_(place, result);
  };
  if (!options_.rules.shares_through_any_place) return shares(ranges_.last_place(operand));
  const std::span<const Place> places = flow_.places(operand);
  return std::any_of(places.begin(), places.end(), shares);
}

void Assigner::MarkLiveOut() {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_.lives_out(BufferId(i))) continue;
    const uint32_t room = room_of_[buffers_.values(BufferId(i))[0].index()];
    if (room != kNowhere) rooms_[room].lives_out = true;
  }
}

}  // namespace halo
