// `memory.value`, `memory.at` and `memory.groups`: what is in memory, why, and which group it
// belongs to.
#include <algorithm>
#include <map>

#include "halo/describe/write_json.h"
#include "halo/memory/backend/backend_description.h"
#include "halo/memory/explain/live_entries.h"
#include "halo/memory/explain/value_shape.h"
#include "halo/view/ask/memory_map.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

constexpr size_t kUses = 100;

// Explains in one sentence why a value stays in memory for as long as it does.
std::string WhyAlive(const Assignment& assignment, const AssignedValue& value,
                     std::string_view last_user, int64_t last_time) {
  if (!value.allocation.valid()) return "it has no allocation";
  const Allocation& allocation = assignment.allocation(value.allocation);
  if (allocation.is_constant) return "a constant: live for the whole program";
  if (allocation.is_thread_local) return "only inside one instruction";
  std::string why;
  if (allocation.parameter >= 0) {
    why = "in the memory of parameter " + std::to_string(allocation.parameter) +
          ", which is live for the whole program";
  } else if (allocation.maybe_live_out) {
    why = "the program returns this memory";
  }
  if (!last_user.empty()) {
    if (!why.empty()) why += "; ";
    why += "last used by " + Shortened(last_user, 200) + " at " + std::to_string(last_time);
  }
  return why.empty() ? "no later use" : why;
}

void UsesJson(const ShownAssignment& plan, const AssignedValue& value, std::string& last_user,
              int64_t& last_time, JsonWriter& json) {
  const Assignment& assignment = plan.assignment();
  json.Key("uses").BeginArray();
  size_t listed = 0;
  for (const ValueUse& use : assignment.uses_of(value)) {
    const int64_t at = plan.bound.time(use.instruction);
    const std::string_view name = assignment.text(use.instruction);
    if (at > last_time) {
      last_time = at;
      last_user = name;
    }
    if (++listed > kUses) continue;
    json.BeginObject()
        .Field("name", Shortened(name, 300))
        .Field("inst", plan.bound.user(use).value)
        .Field("operand", use.operand)
        .Field("time", at)
        .EndObject();
  }
  json.EndArray();
}

// The record of every front end, and its numbers. Long texts are shortened: the page shows a line.
void EntryJson(const ShownAssignment& plan, const LiveEntry& item, JsonWriter& json) {
  v0::LiveValue shown = item;
  for (std::string* text : {&shown.name, &shown.shape, &shown.source, &shown.needed_by}) {
    *text = Shortened(*text, 300);
  }
  shown.op_name = Shortened(shown.op_name, 1000);
  json.BeginObject().Field("value", item.value.value);
  if (item.value.valid()) json.Field("inst", plan.bound.value(item.value).inst.value);
  describe::WriteFields(shown, json);
  json.EndObject();
}

}  // namespace

void AskMemoryValue(ViewRequest& request) {
  const ShownAssignment* plan = request.Shown();
  if (plan == nullptr) return;
  const Assignment& assignment = plan->assignment();
  const int64_t number = request.parameters["value"].AsInt(-1);
  if (number < 0 || static_cast<uint64_t>(number) >= assignment.values.size()) {
    request.response.Fail("`value` is not a value's number");
    return;
  }
  const ValueId id(static_cast<uint32_t>(number));
  const AssignedValue& value = assignment.value(id);
  const Origin origin = plan->roles.OriginOf(id);
  JsonWriter& json = request.json();
  json.Field("value", id.value)
      .Field("name", assignment.NameOf(value))
      .Field("instruction", assignment.text(value.instruction))
      .Field("inst", plan->bound.value(id).inst.value)
      .Field("shape", assignment.text(value.shape))
      .Field("bytes", value.size)
      .Field("unpadded_bytes", ShapeOfValue(plan->bound, id).logical_bytes)
      .Field("from", value.live.start)
      .Field("to", value.live.end)
      .Field("offset", value.offset)
      .Field("color", value.color)
      .Field("role", ValueRoleText(plan->roles.Of(id)))
      .Field("opcode", origin.opcode)
      .Field("op_name", origin.op_name)
      .Field("scope", ScopeOf(origin.op_name))
      .Field("source_file", origin.file)
      .Field("source_line", origin.line);
  if (value.allocation.valid()) {
    const Allocation& allocation = assignment.allocation(value.allocation);
    json.Key("allocation")
        .BeginObject()
        .Field("allocation", value.allocation.value)
        .Field("bytes", allocation.size)
        .Field("kind", MemoryKindText(KindOf(allocation)))
        .Field("parameter", allocation.parameter)
        .Field("donated", plan->roles.is_donated(allocation))
        .EndObject();
  }
  std::string last_user;
  int64_t last_time = -1;
  UsesJson(*plan, value, last_user, last_time, json);
  json.Field("why", WhyAlive(assignment, value, last_user, last_time));
}

void AskMemoryAt(ViewRequest& request) {
  const ShownAssignment* plan = request.Shown();
  if (plan == nullptr) return;
  const MemoryExplanation& all = plan->result.explanation;
  if (!all.has_times) {
    request.response.Fail("these files hold no live ranges");
    return;
  }
  const int64_t last = std::max<int64_t>(LastTime(plan->assignment()), 0);
  const int64_t time = request.Int("position", all.peak_time, 0, last);
  const std::vector<LiveEntry> items =
      EntriesAt(plan->bound, plan->slots, plan->roles, plan->origins, plan->result.backend, time);
  const Assignment& assignment = plan->assignment();
  JsonWriter& json = request.json();
  json.Field("position", time);
  if (static_cast<size_t>(time) < assignment.sequence.size()) {
    const std::string_view name = assignment.text(assignment.sequence[static_cast<size_t>(time)]);
    const Origin origin = plan->origins.At(time);
    json.Field("instruction", Shortened(name, 1000))
        .Field("inst", origin.inst.value)
        .Field("opcode", origin.opcode)
        .Field("op_name", Shortened(origin.op_name, 1000))
        .Field("source", Shortened(SourceText(origin), 300));
  }
  int64_t bytes = 0;
  for (const LiveEntry& item : items) bytes += item.bytes;
  json.Field("bytes", bytes).Field("total", items.size());
  const auto top = static_cast<size_t>(request.Int("top", 20, 0, 1000));
  json.Key("items").BeginArray();
  for (size_t i = 0; i < std::min(top, items.size()); ++i) EntryJson(*plan, items[i], json);
  json.EndArray();
}

void AskMemoryGroups(ViewRequest& request) {
  const ShownAssignment* plan = request.Shown();
  if (plan == nullptr) return;
  const MemoryExplanation& all = plan->result.explanation;
  const GroupBy by = GroupByFromText(request.Text("by", "scope")).value_or(GroupBy::kScope);
  const int64_t depth = request.Int("depth", 0, 0, 100);
  const int64_t time = request.Int("position", all.peak_time, 0, LastTime(plan->assignment()));
  struct Sum {
    int64_t count = 0;
    double bytes = 0, byte_steps = 0;
  };
  std::map<std::string, Sum> sums;
  const std::vector<LiveEntry> items =
      EntriesAt(plan->bound, plan->slots, plan->roles, plan->origins, plan->result.backend, time);
  for (const LiveEntry& item : items) {
    Sum& sum = sums[GroupOf(*plan, item.value, by, depth)];
    sum.count += item.count;
    sum.bytes += double(item.bytes);
  }
  for (const int32_t color : ColorsOf(plan->assignment())) {
    if (!IsDeviceMemory(plan->result.backend, color)) continue;
    for (const MapRectangle& each : MapMemory(*plan, color, false).rectangles) {
      sums[GroupOf(*plan, each.value, by, depth)].byte_steps +=
          double(each.size) * double(each.end - each.begin);
    }
  }
  std::vector<std::pair<std::string, Sum>> groups(sums.begin(), sums.end());
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    if (a.second.bytes != b.second.bytes) return a.second.bytes > b.second.bytes;
    return a.second.byte_steps != b.second.byte_steps ? a.second.byte_steps > b.second.byte_steps
                                                      : a.first < b.first;
  });
  const auto limit = static_cast<size_t>(request.Int("limit", 1000, 0, 100'000));
  request.json()
      .Field("by", GroupByText(by))
      .Field("position", time)
      .Field("steps", LastTime(plan->assignment()) + 1)
      .Field("total", groups.size());
  groups.resize(std::min(groups.size(), limit));
  StringColumn names;
  std::vector<double> bytes, counts, byte_steps;
  for (const auto& [name, sum] : groups) {
    names.Add(name);
    bytes.push_back(sum.bytes);
    counts.push_back(double(sum.count));
    byte_steps.push_back(sum.byte_steps);
  }
  request.response.Strings("names", names);
  request.response.Array("bytes", bytes);
  request.response.Array("count", counts);
  request.response.Array("byte_steps", byte_steps);
}

}  // namespace halo::view
