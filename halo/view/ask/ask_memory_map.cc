// `memory.map`: the rectangles of one memory space, its live bytes, and the group that each belongs
// to.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "halo/memory/text/memory_report.h"
#include "halo/view/ask/memory_map.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

// Names of groups, and how much of the picture each one covers. Groups are numbered by weight; the
// largest is 0.
class Groups {
 public:
  uint32_t Add(std::string name, double weight) {
    const auto [at, fresh] = numbers_.try_emplace(std::move(name), names_.size());
    if (fresh) {
      names_.push_back(at->first);
      weights_.push_back(0);
    }
    weights_[at->second] += weight;
    return at->second;
  }
  // Renumbers the values that Add returned.
  void Write(std::vector<uint32_t>& groups, Response& response) const {
    std::vector<uint32_t> order(names_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return weights_[a] != weights_[b] ? weights_[a] > weights_[b] : names_[a] < names_[b];
    });
    std::vector<uint32_t> position(order.size());
    StringColumn names(300);
    for (uint32_t i = 0; i < order.size(); ++i) {
      position[order[i]] = i;
      names.Add(names_[order[i]]);
    }
    for (uint32_t& group : groups) group = position[group];
    response.Strings("groups", names);
    response.Array("group", groups);
  }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<double> weights_;
};

void Allocations(const ShownAssignment& plan, const MemoryMap& map, Response& response) {
  std::vector<uint32_t> ids;
  std::vector<double> bases, sizes;
  std::vector<int32_t> parameters;
  StringColumn kinds;
  for (const MapAllocation& each : map.allocations) {
    const Allocation& allocation = plan.assignment().allocation(each.allocation);
    ids.push_back(each.allocation.value);
    bases.push_back(double(each.base));
    sizes.push_back(double(allocation.size));
    parameters.push_back(allocation.parameter);
    kinds.Add(MemoryKindText(each.kind));
  }
  response.json().Key("allocations").BeginObject();
  response.Array("allocation", ids);
  response.Array("base", bases);
  response.Array("size", sizes);
  response.Array("parameter", parameters);
  response.Strings("kind", kinds);
  response.json().EndObject();
}

// A dump may claim any time.
int32_t Position(int64_t time) {
  return static_cast<int32_t>(std::clamp<int64_t>(time, 0, INT32_MAX));
}

void Rectangles(const ShownAssignment& plan, const MemoryMap& map, GroupBy by, int64_t depth,
                size_t limit, Response& response) {
  std::vector<uint32_t> begin, end, allocation, value, group;
  std::vector<int32_t> from, to;
  std::vector<double> offset, size;
  Groups groups;
  std::unordered_map<uint32_t, std::string> known;
  for (const MapRectangle& each : map.rectangles) {
    if (begin.size() == limit) break;
    begin.push_back(static_cast<uint32_t>(each.begin));
    end.push_back(static_cast<uint32_t>(each.end));
    offset.push_back(double(each.offset));
    size.push_back(double(each.size));
    allocation.push_back(each.allocation.value);
    value.push_back(each.value.value);
    const LiveRange live =
        each.value.valid() ? plan.assignment().value(each.value).live : LiveRange();
    from.push_back(Position(live.known() ? live.start : each.begin));
    to.push_back(Position(live.known() ? live.end : each.end - 1));
    auto [at, fresh] = known.try_emplace(each.value.value);
    if (fresh) at->second = GroupOf(plan, each.value, by, depth);
    group.push_back(groups.Add(at->second, double(each.size) * double(each.end - each.begin)));
  }
  response.json().Field("rectangles", map.rectangles.size());
  response.Array("begin", begin);
  response.Array("end", end);
  response.Array("offset", offset);
  response.Array("size", size);
  response.Array("allocation", allocation);
  response.Array("value", value);
  response.Array("from", from);
  response.Array("to", to);
  groups.Write(group, response);
}

}  // namespace

const ShownAssignment* ViewRequest::Shown() const {
  std::string why;
  const ShownAssignment* plan =
      view.Shown(Text("plan", view.has_assignment() ? "dumped" : "planned"), why);
  if (plan == nullptr) response.Fail(why);
  return plan;
}

void AskMemoryMap(ViewRequest& request) {
  const ShownAssignment* plan = request.Shown();
  if (plan == nullptr) return;
  const Assignment& assignment = plan->assignment();
  const std::vector<int32_t> colors = ColorsOf(assignment);
  const int64_t first = colors.empty() ? 0 : colors.front();
  const auto color = static_cast<int32_t>(request.Int("color", first, INT32_MIN, INT32_MAX));
  const MemoryMap map = MapMemory(*plan, color, request.Text("kinds", "all") == "temp");
  const MemoryExplanation& all = plan->result.explanation;
  JsonWriter& json = request.json();
  json.Field("plan", plan->result.is_planned ? "planned" : "dumped")
      .Field("packed", !plan->result.repacked.empty())
      .Field("backend", BackendText(plan->result.backend))
      .Field("has_times", all.has_times)
      .Field("color", color)
      .Field("height", map.height)
      .Field("last", map.last_time)
      .Field("held_bytes", map.held_bytes)
      .Field("total_bytes", all.total_bytes)
      .Field("device_bytes", all.device_bytes);
  if (plan->result.bytes_before) json.Field("device_bytes_before", *plan->result.bytes_before);
  json.Key("assumptions").BeginArray();
  for (const std::string& each : plan->result.assumptions) json.String(Shortened(each, 1000));
  json.EndArray();
  json.Key("colors").BeginArray();
  for (const MemorySpace& space : all.spaces) {
    json.BeginObject()
        .Field("color", space.color)
        .Field("name", space.name)
        .Field("bytes", space.bytes)
        .Field("device_memory", space.is_device)
        .EndObject();
  }
  json.EndArray();
  if (all.has_times && !map.live.empty()) {
    const auto peak = static_cast<size_t>(map.peak_time);
    json.Key("peak")
        .BeginObject()
        .Field("position", map.peak_time)
        .Field("live_bytes", map.live[peak])
        .Field("bytes", map.live[peak] + map.held_bytes);
    if (peak < assignment.sequence.size()) {
      json.Field("instruction", Shortened(assignment.text(assignment.sequence[peak]), 300));
    }
    json.EndObject();
  }
  if (const auto& into = plan->result.into_outputs; into && into->buffers != 0) {
    json.Key("into_outputs")
        .BeginObject()
        .Field("buffers", into->buffers)
        .Field("bytes", into->bytes)
        .EndObject();
  }
  if (!plan->result.repacked.empty()) {
    json.Key("repacked").BeginArray();
    for (const RepackedHeap& heap : plan->result.repacked) {
      json.BeginObject()
          .Field("allocation", heap.allocation.value)
          .Field("old_bytes", heap.old_height)
          .Field("bytes", heap.new_height)
          .Field("lower_bound", heap.lower_bound)
          .Field("optimal", heap.optimal())
          .EndObject();
    }
    json.EndArray();
  }
  Allocations(*plan, map, request.response);
  const GroupBy by = GroupByFromText(request.Text("by", "role")).value_or(GroupBy::kRole);
  Rectangles(*plan, map, by, request.Int("depth", 0, 0, 100),
             static_cast<size_t>(request.Int("limit", 100'000, 0, 4'000'000)), request.response);
  request.response.Array("live", std::vector<double>(map.live.begin(), map.live.end()));
}

}  // namespace halo::view
