// The result of `halo memory` as JSON and as CSV. Fields are only ever added; a change of meaning
// requires a new schema.
#include <algorithm>

#include "halo/api/document/json_parts.h"
#include "halo/api/memory/memory.h"
#include "halo/memory/backend/backend.h"

namespace halo {
namespace {

constexpr size_t kProfilePoints = 240;

void Kinds(std::string_view key, const std::array<int64_t, kMemoryKinds>& bytes, JsonWriter& json) {
  json.Key(key).BeginObject();
  for (size_t i = 0; i < kMemoryKinds; ++i) {
    json.Field(MemoryKindText(static_cast<MemoryKind>(i)), bytes[i]);
  }
  json.EndObject();
}

void Groups(std::string_view key, const std::vector<LiveGroup>& groups, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const LiveGroup& group : groups) {
    json.BeginObject()
        .Field("name", group.name)
        .Field("count", group.count)
        .Field("bytes", group.bytes)
        .EndObject();
  }
  json.EndArray();
}

void Moment(std::string_view key, int64_t time, int64_t bytes, const std::string& instruction,
            const std::string& op_name, const std::string& source, JsonWriter& json) {
  json.Key(key)
      .BeginObject()
      .Field("time", time)
      .Field("bytes", bytes)
      .Field("instruction", instruction)
      .Field("op_name", op_name)
      .Field("source", source)
      .EndObject();
}

void Items(const std::vector<LiveEntry>& items, size_t top, JsonWriter& json) {
  json.Key("largest").BeginArray();
  for (size_t i = 0; i < std::min(top, items.size()); ++i) {
    const LiveEntry& item = items[i];
    json.BeginObject()
        .Field("value", item.name)
        .Field("shape", item.shape)
        .Field("bytes", item.bytes)
        .Field("unpadded_bytes", item.logical_bytes)
        .Field("kind", MemoryKindText(item.kind))
        .Field("role", ValueRoleText(item.role))
        .Field("opcode", item.opcode)
        .Field("op_name", item.op_name)
        .Field("source", item.source)
        .Field("start", item.start)
        .Field("end", item.end)
        .Field("parameter", item.parameter)
        .Field("donated", item.is_donated)
        .Field("needed_by", item.needed_by)
        .Field("needed_at", item.needed_at)
        .Field("through", item.through)
        .EndObject();
  }
  json.EndArray();
}

// Keeps the maximum of each range of time steps, so that no peak is lost.
void Profile(const MemoryExplanation& all, JsonWriter& json) {
  const size_t count = all.profile.size();
  const size_t step = std::max<size_t>((count + kProfilePoints - 1) / kProfilePoints, 1);
  json.Key("profile").BeginObject().Field("step", step);
  json.Key("temp_bytes").BeginArray();
  for (size_t i = 0; i < count; i += step) {
    const auto end = all.profile.begin() + static_cast<ptrdiff_t>(std::min(i + step, count));
    json.Number(*std::max_element(all.profile.begin() + static_cast<ptrdiff_t>(i), end));
  }
  json.EndArray().EndObject();
}

void RepackedJson(const std::vector<RepackedHeap>& heaps, JsonWriter& json) {
  json.Key("repacked").BeginArray();
  for (const RepackedHeap& heap : heaps) {
    json.BeginObject()
        .Field("allocation", heap.allocation.value)
        .Field("buffers", heap.items)
        .Field("old_bytes", heap.old_height)
        .Field("bytes", heap.new_height)
        .Field("lower_bound", heap.lower_bound)
        .Field("unusable", heap.unusable)
        .EndObject();
  }
  json.EndArray();
}

void AdviceJson(const Advice& advice, JsonWriter& json) {
  json.BeginObject()
      .Field("kind", AdviceKindText(advice.kind))
      .Field("bytes_saved", advice.bytes_saved)
      .Field("brief", advice.brief)
      .Field("what", advice.what)
      .Field("how", advice.how)
      .Field("cost", advice.cost)
      .Field("option", OptionsOf(advice.change))
      .Field("scope", advice.scope)
      .Field("source", advice.source);
  json.Key("instructions").BeginArray();
  for (const std::string& name : advice.instructions) json.String(name);
  json.EndArray();
  json.Key("parameters").BeginArray();
  for (const int64_t number : advice.parameters) json.Number(number);
  json.EndArray().EndObject();
}

void VerdictJson(const MemoryVerdict& verdict, JsonWriter& json) {
  json.Key("verdict")
      .BeginObject()
      .Field("text", verdict.text)
      .Field("total_bytes", verdict.total_bytes)
      .Field("temporary_bytes", verdict.temporary_bytes)
      .Field("temporary_percent", verdict.temporary_percent);
  if (verdict.position >= 0) {
    json.Key("peak")
        .BeginObject()
        .Field("position", verdict.position)
        .Field("last_position", verdict.last_position)
        .Field("bytes", verdict.peak_bytes)
        .Field("instruction", verdict.instruction)
        .Field("scope", verdict.scope)
        .Field("phase", verdict.phase)
        .Field("source", verdict.source)
        .EndObject();
  }
  if (verdict.best_change) {
    json.Key("best_change")
        .BeginObject()
        .Field("kind", AdviceKindText(verdict.best_change->kind))
        .Field("text", verdict.best_change->brief)
        .Field("how", verdict.best_change->how)
        .Field("saves_bytes", verdict.best_change->bytes_saved)
        .Field("option", OptionsOf(verdict.best_change->change))
        .EndObject();
  }
  if (verdict.capacity) {
    if (!verdict.device.empty()) json.Field("device", verdict.device);
    json.Field("capacity", *verdict.capacity)
        .Field("fits", verdict.fits())
        .Field("spare_bytes", *verdict.capacity - verdict.total_bytes);
  }
  json.Key("devices").BeginArray();
  for (const DeviceFit& device : verdict.devices) {
    json.BeginObject()
        .Field("name", device.name)
        .Field("title", device.title)
        .Field("capacity", device.capacity)
        .Field("fits", device.fits)
        .EndObject();
  }
  json.EndArray().EndObject();
}

void Times(const MemoryExplanation& all, size_t top, JsonWriter& json) {
  json.Field("last_time", all.last_time)
      .Field("held_bytes", all.held_bytes)
      .Field("temp_bytes", all.temp_bytes)
      .Field("table_bytes", all.table_bytes)
      .Field("temp_live_at_peak", all.peak_live);
  Moment("peak", all.peak_time, all.peak_bytes, all.peak_instruction, all.peak_op_name,
         all.peak_source, json);
  if (all.printed) {
    json.Key("printed_peak")
        .BeginObject()
        .Field("time", all.printed->time)
        .Field("listed_bytes", all.printed->listed_bytes)
        .Field("live_bytes", all.printed->live_bytes)
        .EndObject();
  }
  Profile(all, json);
  Moment("at", all.at, all.at_bytes, all.at_instruction, all.at_op_name, all.at_source, json);
  Groups("kinds", all.roles, json);
  json.Field("by", GroupByText(all.by));
  if (!all.by_reason.empty()) json.Field("by_reason", all.by_reason);
  Groups("groups", all.groups, json);
  Items(all.entries, top, json);
}

}  // namespace

std::string MemoryJson(const MemoryResult& result, size_t top) {
  JsonWriter json;
  BeginJson("halo.memory.v1", json);
  json.Key("inputs").BeginArray();
  for (size_t i = 0; i < result.inputs.documents.size(); ++i) {
    const Document& each = result.inputs.documents[i];
    json.BeginObject();
    InputFields(each.path, each.kind, each.compression, each.stored_bytes, each.bytes, json);
    json.Field("found", i < result.inputs.found.size() && result.inputs.found[i]).EndObject();
  }
  json.EndArray();
  const MemoryExplanation& all = result.explanation;
  VerdictJson(result.verdict, json);
  json.Field("program", result.program)
      .Field("backend", BackendText(result.backend))
      .Field("frontend", FrontendName(result.frontend))
      .Field("planned_by_halo", result.is_planned)
      .Field("scheduled_by_halo", !result.is_scheduled)
      .Field("live_ranges_by_halo", result.ranges_from_plan)
      .Field("alignment", result.rules.alignment);
  json.Key("assumptions").BeginArray();
  for (const std::string& each : result.assumptions) json.String(each);
  json.EndArray();
  if (result.bytes_before) json.Field("device_bytes_before", *result.bytes_before);
  if (result.capacity) json.Field("capacity", *result.capacity).Field("fits", result.fits());
  json.Field("total_bytes", all.total_bytes).Field("device_bytes", all.device_bytes);
  Kinds("device_bytes_by_kind", all.by_kind, json);
  json.Field("parameters", all.parameters)
      .Field("donated", all.donated)
      .Field("donated_bytes", all.donated_bytes);
  json.Key("spaces").BeginArray();
  for (const MemorySpace& space : all.spaces) {
    json.BeginObject()
        .Field("color", space.color)
        .Field("name", space.name)
        .Field("device_memory", space.is_device)
        .Field("bytes", space.bytes);
    Kinds("by_kind", space.by_kind, json);
    json.EndObject();
  }
  json.EndArray();
  if (result.findings) json.Field("findings", result.findings->total);
  if (result.into_outputs) {
    json.Key("into_outputs")
        .BeginObject()
        .Field("buffers", static_cast<int64_t>(result.into_outputs->buffers))
        .Field("bytes", result.into_outputs->bytes)
        .Field("saved_bytes", result.into_outputs->saved)
        .EndObject();
  }
  if (!result.repacked.empty()) RepackedJson(result.repacked, json);
  json.Field("has_live_ranges", all.has_times);
  if (all.has_times) Times(all, top, json);
  json.Key("advice").BeginArray();
  for (const Advice& each : result.advice) AdviceJson(each, json);
  json.EndArray();
  json.Key("diagnostics").BeginArray();
  for (const Document& document : result.inputs.documents) {
    ReadingDiagnosticsJson(document, json);
  }
  for (const Diagnostic& each : result.diagnostics.all()) {
    DiagnosticJson(result.inputs.module_path, each, json);
  }
  json.EndArray().EndObject();
  return std::string(json.view());
}

std::string MemoryCsv(const MemoryResult& result) {
  std::string out = "time,instruction,total";
  std::vector<size_t> roles;
  for (size_t role = 0; role < result.role_profile.size(); ++role) {
    const std::vector<int64_t>& bytes = result.role_profile[role];
    if (std::all_of(bytes.begin(), bytes.end(), [](int64_t each) { return each == 0; })) continue;
    roles.push_back(role);
    out += ',';
    out += ValueRoleText(static_cast<ValueRole>(role));
  }
  out += '\n';
  const MemoryExplanation& all = result.explanation;
  for (size_t time = 0; time < all.profile.size(); ++time) {
    out += std::to_string(time) + ',';
    const Assignment& assignment = result.assignment;
    if (time < assignment.sequence.size()) out += assignment.text(assignment.sequence[time]);
    out += ',' + std::to_string(all.held_bytes + all.profile[time]);
    for (const size_t role : roles) {
      out += ',' + std::to_string(result.role_profile[role][time]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace halo
