// The result of `halo info` as JSON. Fields are only ever added; a change of meaning requires a new
// schema.
#include "halo/api/document/json_parts.h"
#include "halo/api/info/file_info.h"
#include "halo/base/json/json_writer.h"

namespace halo {
namespace {

void OptionalNumber(std::string_view key, const std::optional<int64_t>& value, JsonWriter& json) {
  json.Key(key);
  if (value) {
    json.Number(*value);
  } else {
    json.Null();
  }
}

void Tallies(std::string_view key, const std::vector<Tally>& tallies, bool with_bytes,
             JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const Tally& tally : tallies) {
    json.BeginObject().Field("name", tally.name).Field("count", tally.count);
    if (with_bytes) json.Field("bytes", tally.bytes);
    json.EndObject();
  }
  json.EndArray();
}

void Collectives(const std::vector<CollectiveInfo>& collectives, JsonWriter& json) {
  json.Key("collectives").BeginArray();
  for (const CollectiveInfo& each : collectives) {
    json.BeginObject()
        .Field("opcode", each.opcode)
        .Field("count", each.count)
        .Field("async", each.async)
        .Field("bytes", each.bytes)
        .Field("runs", each.runs)
        .Field("run_bytes", each.run_bytes)
        .Field("runs_at_least", each.at_least);
    json.Key("group_sizes").BeginArray();
    for (const GroupSize& group : each.group_sizes) {
      json.BeginObject().Field("size", group.size).Field("count", group.count).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
}

void Loops(const std::vector<LoopInfo>& loops, JsonWriter& json) {
  json.Key("loops").BeginArray();
  for (const LoopInfo& loop : loops) {
    json.BeginObject()
        .Field("name", loop.name)
        .Field("body", loop.body)
        .Field("op_name", loop.op_name);
    OptionalNumber("trip_count", loop.trip_count, json);
    json.Field("body_instructions", loop.body_instructions)
        .Field("carried_bytes", loop.carried_bytes)
        .Field("runs", loop.runs)
        .EndObject();
  }
  json.EndArray();
}

void Interface(const ModuleInfo& module, JsonWriter& json) {
  json.Key("parameters").BeginArray();
  for (const ParameterInfo& parameter : module.parameters) {
    json.BeginObject()
        .Field("number", parameter.number)
        .Field("name", parameter.name)
        .Field("shape", parameter.shape);
    OptionalNumber("bytes", parameter.bytes, json);
    json.Field("op_name", parameter.op_name)
        .Field("sharding", parameter.sharding)
        .Field("aliased", parameter.aliased)
        .Field("donated", parameter.donated)
        .EndObject();
  }
  json.EndArray();
  json.Key("outputs").BeginArray();
  for (const OutputInfo& output : module.outputs) {
    json.BeginObject();
    json.Key("index").BeginArray();
    for (const int64_t step : output.index) json.Number(step);
    json.EndArray().Field("name", output.name).Field("shape", output.shape);
    OptionalNumber("bytes", output.bytes, json);
    json.Field("op_name", output.op_name);
    OptionalNumber("aliases_parameter", output.aliases_parameter, json);
    json.EndObject();
  }
  json.EndArray();
}

void OneModule(std::string_view path, const ModuleInfo& module, JsonWriter& json) {
  json.BeginObject()
      .Field("path", path)
      .Field("section", module.section)
      .Field("name", module.name);
  json.Key("generation")
      .BeginObject()
      .Field("is", GenerationText(module.generation.generation))
      .Field("latest", GenerationText(module.generation.latest))
      .Field("why", module.generation.why)
      .EndObject();
  json.Key("backend")
      .BeginObject()
      .Field("is", BackendText(module.backend.backend))
      .Field("why", module.backend.why)
      .EndObject();
  json.Field("scheduled", module.scheduled)
      .Field("replica_count", module.replica_count)
      .Field("num_partitions", module.num_partitions)
      .Field("computations", module.computations)
      .Field("instructions", module.instructions)
      .Field("entry_instructions", module.entry_instructions)
      .Field("fused_instructions", module.fused_instructions)
      .Field("elided_constants", module.elided_constants)
      .Field("constant_bytes", module.constant_bytes)
      .Field("parameter_bytes", module.parameter_bytes)
      .Field("output_bytes", module.output_bytes)
      .Field("aliased_bytes", module.aliased_bytes)
      .Field("memory_bytes", module.memory_bytes);
  Tallies("opcodes", module.opcodes, false, json);
  Tallies("dtypes", module.dtypes, true, json);
  Tallies("fusions", module.fusions, false, json);
  Tallies("custom_calls", module.custom_calls, true, json);
  Collectives(module.collectives, json);
  Loops(module.loops, json);
  Interface(module, json);
  json.Key("largest").BeginArray();
  for (const BigValue& value : module.largest) {
    json.BeginObject()
        .Field("name", value.name)
        .Field("opcode", value.opcode)
        .Field("shape", value.shape)
        .Field("bytes", value.bytes)
        .Field("op_name", value.op_name)
        .EndObject();
  }
  json.EndArray().EndObject();
}

void OneAssignment(const std::string& path, const AssignmentInfo& info, JsonWriter& json) {
  json.BeginObject().Field("path", path);
  OptionalNumber("allocations", info.allocations, json);
  OptionalNumber("values", info.values, json);
  OptionalNumber("total_bytes", info.total_bytes, json);
  OptionalNumber("device_bytes", info.device_bytes, json);
  OptionalNumber("schedule_steps", info.schedule_steps, json);
  OptionalNumber("live_ranges", info.live_ranges, json);
  OptionalNumber("peak_time", info.peak_time, json);
  json.EndObject();
}

}  // namespace

std::string InfoJson(std::span<const FileInfo> files) {
  JsonWriter json;
  BeginJson("halo.info.v1", json);
  json.Key("inputs").BeginArray();
  for (const FileInfo& file : files) {
    InputJson(file.path, file.kind, file.compression, file.stored_bytes, file.bytes, json);
  }
  json.EndArray();
  json.Key("modules").BeginArray();
  for (const FileInfo& file : files) {
    for (const ModuleInfo& module : file.modules) OneModule(file.path, module, json);
  }
  json.EndArray();
  json.Key("assignments").BeginArray();
  for (const FileInfo& file : files) {
    if (file.assignment) OneAssignment(file.path, *file.assignment, json);
  }
  json.EndArray();
  json.Key("other_sections").BeginArray();
  for (const FileInfo& file : files) {
    for (const OtherSection& other : file.others) {
      json.BeginObject()
          .Field("path", file.path)
          .Field("name", other.name)
          .Field("kind", TextOf(other.kind))
          .EndObject();
    }
  }
  json.EndArray();
  json.Key("diagnostics").BeginArray();
  for (const FileInfo& file : files) {
    for (const Diagnostic& diagnostic : file.diagnostics)
      DiagnosticJson(file.path, diagnostic, json);
  }
  json.EndArray().EndObject();
  return std::string(json.view());
}

}  // namespace halo
