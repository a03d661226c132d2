// Builds packing problems from placed values and writes the results back.
#include "halo/memory/repack/heap_of_assignment.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace halo {
namespace {

// Offsets only hint at the alignment; beyond this limit only tiled memory is aligned.
constexpr int64_t kMostUntiled = 256;

int64_t ShownAlignment(const Assignment& assignment, std::span<const ValueId> values) {
  int64_t shown = 0;
  bool tiled = false;
  for (const ValueId id : values) {
    const AssignedValue& value = assignment.value(id);
    shown = std::gcd(shown, value.offset);
    tiled |= assignment.text(value.shape).find(":T(") != std::string_view::npos;
  }
  const int64_t power = shown & -shown;
  return std::clamp<int64_t>(power, 1, tiled ? int64_t{1} << 20U : kMostUntiled);
}

class Grouping {
 public:
  explicit Grouping(size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), 0U);
  }
  uint32_t Find(uint32_t at) {
    while (parents_[at] != at) at = parents_[at] = parents_[parents_[at]];
    return at;
  }
  void Join(uint32_t a, uint32_t b) { parents_[Find(b)] = Find(a); }

 private:
  std::vector<uint32_t> parents_;
};

// Joins values that share bytes at some time: one buffer, or parts of one. False if too many are
// live together to tell.
bool JoinOverlapping(const Assignment& assignment, std::span<const ValueId> values,
                     Grouping& groups) {
  uint64_t looks = 50'000'000;
  struct Event {
    int64_t time;
    bool is_end;
    uint32_t at;
  };
  std::vector<Event> events;
  int64_t largest = 0;
  for (uint32_t at = 0; at < values.size(); ++at) {
    const AssignedValue& value = assignment.value(values[at]);
    events.push_back({value.live.start, false, at});
    events.push_back({value.live.end, true, at});
    largest = std::max(largest, value.size);
  }
  std::ranges::sort(events, [](const Event& a, const Event& b) {
    return std::tie(a.time, a.is_end, a.at) < std::tie(b.time, b.is_end, b.at);
  });
  std::set<std::pair<int64_t, uint32_t>> live;  // by offset
  for (const Event& event : events) {
    const AssignedValue& value = assignment.value(values[event.at]);
    if (event.is_end) {
      live.erase({value.offset, event.at});
      continue;
    }
    for (auto other = live.lower_bound({value.offset - largest, 0});
         other != live.end() && other->first < value.offset + value.size; ++other) {
      if (looks-- == 0) return false;
      const int64_t end = other->first + assignment.value(values[other->second]).size;
      if (end > value.offset) groups.Join(other->second, event.at);
    }
    live.emplace(value.offset, event.at);
  }
  return true;
}

// Joins values with the phi at the same offset: the values it merges need not overlap it in time.
void JoinPhis(const Assignment& assignment, std::span<const ValueId> values, Grouping& groups) {
  std::map<std::pair<int64_t, int64_t>, uint32_t> phis;
  const auto position = [&](uint32_t at) {
    const AssignedValue& value = assignment.value(values[at]);
    return std::pair(value.offset, value.size);
  };
  for (uint32_t at = 0; at < values.size(); ++at) {
    if (assignment.value(values[at]).is_phi) phis.try_emplace(position(at), at);
  }
  for (uint32_t at = 0; at < values.size(); ++at) {
    const auto phi = phis.find(position(at));
    if (phi != phis.end()) groups.Join(phi->second, at);
  }
}

void JoinByBuffer(std::span<const ValueId> values, std::span<const uint32_t> buffers,
                  Grouping& groups) {
  std::map<uint32_t, uint32_t> first;
  for (uint32_t at = 0; at < values.size(); ++at) {
    if (values[at].index() >= buffers.size()) continue;
    groups.Join(first.try_emplace(buffers[values[at].index()], at).first->second, at);
  }
}

// The item's live range covers those of its values; the times between them are gaps.
void SetLife(const Assignment& assignment, std::span<const ValueId> values, PackItem& item,
             PackProblem& problem) {
  std::vector<LiveRange> lives;
  for (const ValueId id : values) lives.push_back(assignment.value(id).live);
  std::ranges::sort(lives, {},
                    [](const LiveRange& live) { return std::pair(live.start, live.end); });
  item.live = {lives.front().start, lives.front().end};
  item.first_gap = static_cast<uint32_t>(problem.gaps.size());
  for (const LiveRange& live : lives) {
    if (live.start > item.live.end + 1) {
      problem.gaps.push_back({item.live.end + 1, live.start - 1});
      ++item.gap_count;
    }
    item.live.end = std::max(item.live.end, live.end);
  }
}

std::string_view WhyUnusable(const Assignment& assignment, std::span<const ValueId> values) {
  for (const ValueId id : values) {
    const AssignedValue& value = assignment.value(id);
    if (!value.live.known()) return "a value has no live range";
    if (value.live.end < value.live.start || value.offset < 0 || value.size < 0 ||
        value.size > INT64_MAX / 4 || value.offset > INT64_MAX / 4) {
      return "a value has an invalid offset or live range";
    }
  }
  return {};
}

AssignmentHeap HeapOf(const Assignment& assignment, AllocationId id, const HeapOptions& options) {
  AssignmentHeap heap;
  heap.allocation = id;
  std::vector<ValueId> values;
  for (const ValueId value : assignment.values_of(assignment.allocation(id))) {
    if (assignment.value(value).size > 0) values.push_back(value);
  }
  heap.unusable = WhyUnusable(assignment, values);
  if (!heap.unusable.empty()) return heap;
  Grouping groups(values.size());
  if (!JoinOverlapping(assignment, values, groups)) {
    heap.unusable = "too many values share the same offset at the same time";
    return heap;
  }
  if (options.buffers.empty()) {
    JoinPhis(assignment, values, groups);
  } else {
    JoinByBuffer(values, options.buffers, groups);
  }
  std::map<uint32_t, uint32_t> item_of_group;
  for (uint32_t at = 0; at < values.size(); ++at) {
    const auto next = static_cast<uint32_t>(heap.items.size());
    const auto [item, is_new] = item_of_group.try_emplace(groups.Find(at), next);
    if (is_new) heap.items.emplace_back();
    heap.items[item->second].push_back(values[at]);
  }
  heap.problem.alignment =
      options.alignment > 0 ? options.alignment : ShownAlignment(assignment, values);
  for (const std::vector<ValueId>& each : heap.items) {
    int64_t begin = INT64_MAX;
    int64_t end = 0;
    for (const ValueId value : each) {
      begin = std::min(begin, assignment.value(value).offset);
      end = std::max(end, assignment.value(value).offset + assignment.value(value).size);
    }
    PackItem item;
    item.size = end - begin;
    SetLife(assignment, each, item, heap.problem);
    heap.height = std::max(heap.height, end);
    heap.problem.items.push_back(item);
    heap.offsets.push_back(begin);
  }
  if (FindPackFault(heap.problem)) {
    heap.unusable = "its sizes or times are too large";
  } else if (!PackingHolds(heap.problem, heap.offsets)) {
    heap.unusable =
        "the parts of a value become live one by one, or offsets do not have the requested "
        "alignment";
  }
  return heap;
}

}  // namespace

std::vector<AssignmentHeap> HeapsOf(const Assignment& assignment, const HeapOptions& options) {
  std::vector<AssignmentHeap> heaps;
  for (uint32_t a = 0; a < assignment.allocations.size(); ++a) {
    if (!assignment.allocations[a].is_preallocated_temp) continue;
    heaps.push_back(HeapOf(assignment, AllocationId(a), options));
  }
  return heaps;
}

RepackResult RepackAssignment(const Assignment& assignment, const PackOptions& pack,
                              const HeapOptions& heap_options) {
  RepackResult result;
  result.assignment = assignment;
  for (const AssignmentHeap& heap : HeapsOf(assignment, heap_options)) {
    RepackedHeap done;
    done.allocation = heap.allocation;
    done.items = heap.items.size();
    done.alignment = heap.problem.alignment;
    done.old_height = done.new_height = heap.height;
    done.unusable = heap.unusable;
    const std::optional<Packing> packing =
        heap.unusable.empty() ? Pack(heap.problem, pack) : std::nullopt;
    if (packing) {
      done.lower_bound = packing->lower_bound;
      done.xla_height = packing->xla_height;
      done.method = "as it was";
    }
    if (packing && packing->height < heap.height) {
      done.new_height = packing->height;
      done.method = packing->method;
      for (size_t i = 0; i < heap.items.size(); ++i) {
        for (const ValueId value : heap.items[i]) {
          result.assignment.values[value.index()].offset += packing->offsets[i] - heap.offsets[i];
        }
      }
      const int64_t saved = heap.height - packing->height;
      result.assignment.allocations[heap.allocation.index()].size -= saved;
      result.assignment.total_bytes -= saved;
    }
    result.heaps.push_back(done);
  }
  return result;
}

}  // namespace halo
