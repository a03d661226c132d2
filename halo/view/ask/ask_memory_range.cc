// `memory.range`: what is in memory between two positions of the program, or at one, and what comes
// and goes between them.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "halo/view/ask/memory_map.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

// How a value changes in the range.
enum class RangeChange : uint8_t { kThrough, kAllocated, kFreed, kWithin };
constexpr std::array<std::string_view, 4> kRangeChangeTexts = {"through", "allocated", "freed",
                                                               "within"};

struct RangeRow {
  ValueId value;
  AllocationId allocation;
  int64_t begin = 0, end = 0;  // end exclusive
  int64_t bytes = 0;
  bool is_held = false;
};

RangeChange ChangeOf(const RangeRow& row, int64_t from, int64_t to) {
  if (row.is_held) return RangeChange::kThrough;
  const bool comes = row.begin >= from, goes = row.end - 1 <= to;
  if (comes && goes) return RangeChange::kWithin;
  if (comes) return RangeChange::kAllocated;
  return goes ? RangeChange::kFreed : RangeChange::kThrough;
}

// One row for each value, although it may be drawn as several rectangles.
std::vector<RangeRow> RowsBetween(const ShownAssignment& plan, const MemoryMap& map, int64_t from,
                                  int64_t to) {
  std::unordered_map<uint64_t, size_t> known;
  std::vector<RangeRow> rows;
  for (const MapRectangle& each : map.rectangles) {
    const Allocation& allocation = plan.assignment().allocation(each.allocation);
    // Without a value, the allocation is the row.
    const uint64_t key =
        each.value.valid() ? each.value.value : (uint64_t{1} << 32) + each.allocation.value;
    const auto [at, fresh] = known.try_emplace(key, rows.size());
    if (fresh) {
      const bool is_held =
          !(KindOf(allocation) == MemoryKind::kTemp && allocation.is_preallocated_temp);
      rows.push_back({each.value, each.allocation, each.begin, each.end, 0, is_held});
    }
    RangeRow& row = rows[at->second];
    row.begin = std::min(row.begin, each.begin);
    row.end = std::max(row.end, each.end);
    if (each.begin <= to && each.end > from) row.bytes = std::max(row.bytes, each.size);
  }
  std::erase_if(rows, [](const RangeRow& row) { return row.bytes == 0; });
  std::sort(rows.begin(), rows.end(), [](const RangeRow& a, const RangeRow& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.value < b.value;
  });
  return rows;
}

void PositionJson(std::string_view key, const ShownAssignment& plan, const MemoryMap& map,
                  int64_t position, JsonWriter& json) {
  const Assignment& assignment = plan.assignment();
  const auto at = static_cast<size_t>(position);
  json.Key(key)
      .BeginObject()
      .Field("position", position)
      .Field("bytes", map.live[at] + map.held_bytes);
  if (at < assignment.sequence.size()) {
    const Origin origin = plan.origins.At(position);
    json.Field("instruction", Shortened(assignment.text(assignment.sequence[at]), 300))
        .Field("inst", origin.inst.value)
        .Field("source", Shortened(SourceText(origin), 300));
  }
  json.EndObject();
}

void RowJson(const ShownAssignment& plan, const RangeRow& row, RangeChange change,
             JsonWriter& json) {
  const Assignment& assignment = plan.assignment();
  json.BeginObject()
      .Field("value", row.value.value)
      .Field("bytes", row.bytes)
      .Field("change", kRangeChangeTexts[static_cast<size_t>(change)])
      .Field("kind", MemoryKindText(KindOf(assignment.allocation(row.allocation))));
  if (row.value.valid()) {
    const AssignedValue& value = assignment.value(row.value);
    const Origin origin = plan.roles.OriginOf(row.value);
    json.Field("name", Shortened(assignment.NameOf(value), 300))
        .Field("inst", plan.bound.value(row.value).inst.value)
        .Field("shape", Shortened(assignment.text(value.shape), 300))
        .Field("role", ValueRoleText(plan.roles.Of(row.value)))
        .Field("scope", Shortened(ScopeOf(origin.op_name), 500))
        .Field("source", Shortened(SourceText(origin), 300))
        .Field("from", value.live.known() ? value.live.start : row.begin)
        .Field("to", value.live.known() ? value.live.end : row.end - 1);
  }
  json.EndObject();
}

}  // namespace

void AskMemoryRange(ViewRequest& request) {
  const ShownAssignment* plan = request.Shown();
  if (plan == nullptr) return;
  const std::vector<int32_t> colors = ColorsOf(plan->assignment());
  const int64_t first = colors.empty() ? 0 : colors.front();
  const auto color = static_cast<int32_t>(request.Int("color", first, INT32_MIN, INT32_MAX));
  const MemoryMap map = MapMemory(*plan, color, request.Text("kinds", "all") == "temp");
  if (map.live.empty()) {
    request.response.Fail("these files hold no live ranges");
    return;
  }
  const auto last = static_cast<int64_t>(map.live.size()) - 1;
  const int64_t from = request.Int("from", map.peak_time, 0, last);
  const int64_t to = request.Int("to", from, from, last);
  const std::vector<RangeRow> rows = RowsBetween(*plan, map, from, to);
  std::array<int64_t, kRangeChangeTexts.size()> counts = {}, bytes = {};
  for (const RangeRow& row : rows) {
    const auto change = static_cast<size_t>(ChangeOf(row, from, to));
    ++counts[change];
    bytes[change] += row.bytes;
  }
  JsonWriter& json = request.json();
  json.Field("from", from).Field("to", to);
  PositionJson("at", *plan, map, from, json);
  const auto peak = std::max_element(map.live.begin() + from, map.live.begin() + to + 1);
  PositionJson("peak", *plan, map, peak - map.live.begin(), json);
  json.Key("changes").BeginArray();
  for (size_t i = 0; i < counts.size(); ++i) {
    json.BeginObject()
        .Field("change", kRangeChangeTexts[i])
        .Field("values", counts[i])
        .Field("bytes", bytes[i])
        .EndObject();
  }
  json.EndArray();
  json.Field("total", rows.size());
  const auto top = static_cast<size_t>(request.Int("top", 1000, 0, 20'000));
  json.Key("items").BeginArray();
  for (size_t i = 0; i < std::min(top, rows.size()); ++i) {
    RowJson(*plan, rows[i], ChangeOf(rows[i], from, to), json);
  }
  json.EndArray();
}

}  // namespace halo::view
