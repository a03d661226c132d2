// The result of `halo time` as JSON. Fields are only ever added; a change of meaning requires a new
// schema.
#include <algorithm>

#include "halo/api/document/json_parts.h"
#include "halo/api/time/time.h"
#include "halo/memory/backend/backend.h"

namespace halo {
namespace {

void CostJson(std::string_view key, const Cost& cost, JsonWriter& json) {
  json.Key(key)
      .BeginObject()
      .Field("flops", cost.work.flops)
      .Field("product_flops", cost.work.product_flops)
      .Field("transcendentals", cost.work.transcendentals)
      .Field("bytes_read", cost.traffic.read)
      .Field("bytes_written", cost.traffic.written)
      .Field("near_bytes", cost.traffic.near)
      .Field("host_bytes", cost.traffic.host)
      .Field("sent_bytes", cost.sent)
      .Field("known", cost.known)
      .EndObject();
}

void GroupsJson(std::string_view key, const std::vector<TimeGroup>& groups, size_t top,
                JsonWriter& json) {
  json.Key(key).BeginArray();
  for (size_t i = 0; i < std::min(top, groups.size()); ++i) {
    json.BeginObject()
        .Field("name", groups[i].name)
        .Field("count", groups[i].count)
        .Field("seconds", groups[i].seconds)
        .Field("exposed_seconds", groups[i].exposed)
        .EndObject();
  }
  json.EndArray();
}

void FiguresJson(const DeviceRates& rates, JsonWriter& json) {
  json.Key("figures").BeginArray();
  const auto figure = [&](std::string_view name, const Figure& each) {
    if (each.value <= 0) return;
    json.BeginObject()
        .Field("name", name)
        .Field("value", each.value)
        .Field("source", FigureSourceText(each.source))
        .EndObject();
  };
  ForEachFigure(rates, figure);
  json.EndArray();
}

void OpJson(const TimedOp& op, JsonWriter& json) {
  json.BeginObject()
      .Field("name", op.name)
      .Field("opcode", op.opcode)
      .Field("kind", KernelKindText(op.kind))
      .Field("computation", op.computation)
      .Field("shape", op.shape)
      .Field("op_name", op.op_name)
      .Field("scope", op.scope)
      .Field("source", op.source)
      .Field("runs", op.runs)
      .Field("seconds", op.time.seconds)
      .Field("low_seconds", op.time.low)
      .Field("high_seconds", op.time.high)
      .Field("floor_seconds", op.time.floor)
      .Field("total_seconds", op.total())
      .Field("exposed_seconds", op.exposed)
      .Field("critical_seconds", op.critical)
      .Field("from", TimeSourceText(op.time.source))
      .Field("confidence", TimeConfidenceText(op.time.confidence))
      .Field("bound", TimeBoundText(op.time.bound));
  if (op.cost.work.product_flops > 0) {
    json.Field("product_type", TextOf(op.cost.work.product_type));
  }
  if (op.group_size > 0) {
    json.Field("payload_bytes", op.payload).Field("group_size", op.group_size);
  }
  CostJson("cost", op.cost, json);
  json.EndObject();
}

// Exposed collectives of the step, longest wait first.
void ExposedJson(const TimeResult& result, size_t top, JsonWriter& json) {
  json.Key("exposed").BeginArray();
  const std::vector<const TimedOp*> exposed = ExposedOps(result);
  for (size_t i = 0; i < std::min(top, exposed.size()); ++i) {
    json.BeginObject()
        .Field("name", exposed[i]->name)
        .Field("source", exposed[i]->source)
        .Field("exposed_seconds", exposed[i]->exposed * exposed[i]->runs)
        .Field("total_seconds", exposed[i]->total())
        .EndObject();
  }
  json.EndArray();
}

void AdviceJson(const TimeResult& result, size_t top, JsonWriter& json) {
  json.Key("advice").BeginArray();
  for (const TimeAdvice& each : result.advice) {
    json.BeginObject()
        .Field("kind", TimeAdviceText(each.kind))
        .Field("text", each.text)
        .Field("saved_seconds", each.seconds)
        .Field("at_most", each.at_most)
        .Field("exposed_seconds", each.exposed)
        .Field("bytes_longer", each.bytes);
    json.Key("instructions").BeginArray();
    for (size_t i = 0; i < std::min(top, each.names.size()); ++i) json.String(each.names[i]);
    json.EndArray().Field("instruction_count", each.names.size()).EndObject();
  }
  json.EndArray();
}

void ScaleJson(const Module& module, const ScaleStep& scale, JsonWriter& json) {
  json.Key("scale")
      .BeginObject()
      .Field("devices", scale.layout.total())
      .Field("data_parallel", scale.layout.copies)
      .Field("devices_per_node", scale.layout.per_node)
      .Field("classes", static_cast<int64_t>(scale.classes))
      .Field("step_seconds", scale.seconds)
      .Field("waiting_seconds", scale.exposed)
      .Field("gradient_bytes", scale.gradient_bytes)
      .Field("gradient_seconds", scale.gradient_seconds)
      .Field("straggler_seconds", scale.straggler_seconds);
  json.Key("collectives").BeginArray();
  for (const ScaledCollective& each : scale.collectives) {
    json.BeginObject()
        .Field("name", module.name_of(module.inst(each.inst)))
        .Field("nodes", each.nodes)
        .Field("devices", each.devices)
        .Field("seconds", each.seconds)
        .EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

std::string TimeJson(const TimeResult& result, size_t top) {
  JsonWriter json;
  BeginJson("halo.time.v1", json);
  json.Key("inputs").BeginArray();
  for (const Document& each : result.inputs.documents) {
    InputJson(each.path, each.kind, each.compression, each.stored_bytes, each.bytes, json);
  }
  json.EndArray();
  json.Key("diagnostics").BeginArray();
  for (const Document& document : result.inputs.documents) {
    for (const Diagnostic* each : document.AllDiagnostics()) {
      DiagnosticJson(document.path, *each, json);
    }
  }
  for (const ProfileSummary& profile : result.profiles) {
    for (const Diagnostic& each : profile.diagnostics.all()) {
      DiagnosticJson(profile.path, each, json);
    }
  }
  json.EndArray();
  json.Field("program", result.program).Field("verdict", result.verdict);
  json.Key("backend")
      .BeginObject()
      .Field("is", BackendText(result.backend))
      .Field("why", result.backend_why)
      .EndObject();
  json.Key("device")
      .BeginObject()
      .Field("name", result.device.name)
      .Field("title", result.device.title)
      .Field("why", result.device_why)
      .Field("certain", result.device_is_certain);
  FiguresJson(result.device.rates, json);
  json.EndObject();
  json.Field("scheduled", result.is_scheduled)
      .Field("trip_counts_known", result.trips_known)
      .Field("autotuned", result.autotuned);
  const StepTime& step = result.step;
  json.Key("step")
      .BeginObject()
      .Field("floor_seconds", step.floor)
      .Field("estimate_seconds", step.estimate)
      .Field("serial_seconds", step.serial)
      .Field("compute_seconds", step.compute)
      .Field("exposed_seconds", step.exposed)
      .Field("hidden_seconds", step.hidden)
      .Field("stalled_seconds", step.stalled)
      .Field("gap_seconds", step.gaps)
      .Field("critical_collective_seconds", step.critical_links)
      .Field("unknown_seconds", step.unknown)
      .EndObject();
  if (result.scale) ScaleJson(*result.inputs.module, *result.scale, json);
  ExposedJson(result, top, json);
  AdviceJson(result, top, json);
  CostJson("cost", result.cost, json);
  CostJson("cost_once", result.cost_once, json);
  json.Key("product_flops_by_type").BeginObject();
  for (const TimeGroup& each : result.types) json.Field(each.name, each.seconds);
  json.EndObject();
  GroupsJson("scopes", result.scopes, top, json);
  GroupsJson("kinds", result.kinds, SIZE_MAX, json);
  GroupsJson("sources", result.sources, SIZE_MAX, json);
  GroupsJson("bounds", result.bounds, SIZE_MAX, json);
  json.Field("op_count", result.ops.size());
  json.Key("ops").BeginArray();
  for (size_t i = 0; i < std::min(top, result.ops.size()); ++i) OpJson(result.ops[i], json);
  json.EndArray();
  if (result.measured) MeasuredJson(result, top, json);
  json.EndObject();
  return std::string(json.view());
}

}  // namespace halo
