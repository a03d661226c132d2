// The result of `halo run` as JSON. Fields are only ever added; a change of meaning requires a new
// schema.
#include <cmath>

#include "halo/api/document/json_parts.h"
#include "halo/api/inputs/array_names.h"
#include "halo/api/observe/run_text_parts.h"
#include "halo/api/run/run.h"
#include "halo/base/hash.h"
#include "halo/base/json/json_writer.h"
#include "halo/base/strings/hex.h"
#include "halo/eval/inputs/random_inputs.h"

namespace halo {
namespace {

// JSON has no infinities, so they are written as strings, like NaN.
void Number(std::string_view key, double value, JsonWriter& json) {
  if (std::isfinite(value)) {
    json.Field(key, value);
  } else {
    json.Field(key, std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  }
}

void Summary(const ArraySummary& summary, JsonWriter& json) {
  json.Field("elements", summary.count)
      .Field("nans", summary.nans)
      .Field("infinities", summary.infinities);
  Number("min", summary.min, json);
  Number("max", summary.max, json);
  Number("mean", summary.mean, json);
}

void Type(ElementType type, std::span<const int64_t> dims, JsonWriter& json) {
  json.Field("type", TextOf(type));
  IntsJson("dims", dims, json);
}

void Inputs(const RunResult& result, JsonWriter& json) {
  json.Key("parameters").BeginArray();
  for (const RunInput& input : result.inputs.list) {
    const ShapeId shape = input.leaf.shape;
    json.BeginObject()
        .Field("name", input.name)
        .Field("parameter", input.leaf.parameter)
        .Field("parameter_name", input.parameter);
    Type(result.module().shapes.type(shape), result.module().shapes.dims(shape), json);
    json.Field("from", input.source.empty() ? "random" : "file");
    if (!input.source.empty()) json.Field("path", input.source);
    if (input.gathered) json.Field("joined_from_shards", true);
    if (input.sliced) json.Field("cut_by_sharding", true);
    json.Field("role", TextOf(input.use.role))
        .Field("range", RangeText(result.module().shapes.type(shape), input.use));
    if (input.use.because.valid()) {
      json.Field("because_of", result.module().name_of(result.module().inst(input.use.because)));
    }
    if (!input.arrays.empty()) Summary(Summarize(input.arrays[0]), json);
    json.EndObject();
  }
  json.EndArray();
}

// Arrays with the same bits have the same digest.
std::string Digest(const Array& array) {
  return HexText(HashBytes(array.bytes(), array.byte_count()));
}

void Outputs(const RunResult& result, JsonWriter& json) {
  json.Key("outputs").BeginArray();
  for (const RunOutput& output : result.outputs) {
    json.BeginObject().Field("name", output.name).Field("device", output.device);
    Type(output.array.type(), output.array.dims(), json);
    Summary(Summarize(output.array), json);
    json.Field("digest", Digest(output.array));
    if (IsSmall(output.array)) json.Field("literal", LiteralText(output.array));
    json.EndObject();
  }
  json.EndArray();
}

void Gathers(const RunResult& result, JsonWriter& json) {
  json.Key("joined").BeginArray();
  for (const OutputGather& gather : result.gathers) {
    json.BeginObject().Field("name", MakeArrayName("out", gather.leaf, std::nullopt));
    if (!gather.sharding.empty()) json.Field("sharding", gather.sharding);
    if (gather.problem.empty()) {
      json.Field("parts", gather.parts);
    } else {
      json.Field("problem", gather.problem);
    }
    json.EndObject();
  }
  json.EndArray();
}

void Traced(const RunResult& result, JsonWriter& json) {
  json.Key("traced").BeginArray();
  for (const TracedValue& value : result.traced) {
    json.BeginObject()
        .Field("name", TracedName(result, value))
        .Field("instruction", result.module().name_of(result.module().inst(value.inst)))
        .Field("device", value.device)
        .Field("execution", value.execution);
    Type(value.type, value.dims, json);
    Summary(value.summary, json);
    if (value.is_kept && IsSmall(value.array)) json.Field("literal", LiteralText(value.array));
    json.EndObject();
  }
  json.EndArray();
}

void Operand(const OperandSummary& operand, JsonWriter& json) {
  json.BeginObject().Field("instruction", operand.name);
  Type(operand.type, operand.dims, json);
  Summary(operand.summary, json);
  json.EndObject();
}

void Profile(const CompiledRunReport& report, JsonWriter& json) {
  json.Key("profile").BeginArray();
  for (const ProfileRow& row : report.profile) {
    json.BeginObject()
        .Field("instruction", row.instruction)
        .Field("opcode", row.opcode)
        .Field("scope", row.scope)
        .Field("kind", row.kind)
        .Field("by", row.by)
        .Field("visits", row.visits)
        .Field("seconds", row.seconds)
        .Field("bytes", row.bytes)
        .Field("flops", row.flops)
        .EndObject();
  }
  json.EndArray();
  json.Field("machine_copy_bytes_per_second", report.limits.copy_bytes_per_second)
      .Field("machine_f32_flops_per_second", report.limits.f32_flops_per_second);
}

void Strings(std::string_view key, const std::vector<std::string>& texts, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

// The cost and output of compiling; or why it was not done, if the reference engine ran instead.
void Report(const RunResult& result, JsonWriter& json) {
  const CompiledRunReport& report = result.report;
  if (!report.declined.empty()) json.Field("not_compiled_because", report.declined);
  if (!report.cache_problem.empty()) json.Field("not_cached_because", report.cache_problem);
  if (result.engine != Engine::kCompiled) return;
  json.Field("planned_bytes", report.planned_bytes)
      .Field("kernel_steps", report.kernel_steps)
      .Field("library_steps", report.library_steps)
      .Field("reference_steps", report.reference_steps)
      .Field("collective_steps", report.collective_steps)
      .Field("collectives_by_messages", report.collectives_by_messages)
      .Field("kernels", report.kernels)
      .Field("kernels_compiled", report.compiled_kernels)
      .Field("damaged_cache_entries", report.damaged_cache_entries)
      .Field("prepare_seconds", report.prepare_seconds)
      .Field("compile_seconds", report.compile_seconds);
  json.Key("run_seconds").BeginArray();
  for (const double seconds : report.run_seconds) json.Double(seconds);
  json.EndArray();
  Strings("references", report.references, json);
  if (!report.decisions.empty()) Strings("decisions", report.decisions, json);
  if (!report.plan.empty()) json.Field("plan", report.plan);
  if (!report.profile.empty()) Profile(report, json);
}

void Origin(const RunResult& result, JsonWriter& json) {
  json.Key("first_non_finite");
  if (!result.origin) {
    json.Null();
    return;
  }
  const NonFiniteOrigin& origin = *result.origin;
  const InstructionLocation& location = origin.location;
  json.BeginObject()
      .Field("is", origin.is_nan ? "nan" : "inf")
      .Field("instruction", location.name)
      .Field("opcode", location.opcode)
      .Field("device", origin.device)
      .Field("execution", origin.execution)
      .Field("op_name", location.op_name)
      .Field("source", location.source);
  IntsJson("index", origin.index, json);
  json.Key("path").BeginArray();
  for (const std::string& step : location.path) json.String(step);
  json.EndArray();
  json.Key("result");
  Operand(origin.result, json);
  json.Key("operands").BeginArray();
  for (const OperandSummary& operand : origin.operands) Operand(operand, json);
  json.EndArray().EndObject();
}

void Worst(const ArrayComparison& result, JsonWriter& json) {
  json.Key("worst").BeginArray();
  for (const ElementDifference& element : result.worst) {
    json.BeginObject();
    IntsJson("index", element.index, json);
    Number("got", element.got, json);
    Number("expected", element.expected, json);
    if (element.got_imag != 0 || element.expected_imag != 0) {
      Number("got_imag", element.got_imag, json);
      Number("expected_imag", element.expected_imag, json);
    }
    Number("absolute", element.absolute, json);
    Number("relative", element.relative, json);
    json.Field("ulp", element.ulp).EndObject();
  }
  json.EndArray();
}

void Comparisons(const RunResult& result, JsonWriter& json) {
  json.Key("comparison").BeginObject();
  json.Field("expected", result.expected).Field("agrees", result.agrees());
  json.Key("outputs").BeginArray();
  for (const OutputComparison& each : result.comparisons) {
    json.BeginObject().Field("name", each.name).Field("ok", each.ok());
    if (!each.problem.empty()) json.Field("problem", each.problem);
    Type(each.type, each.dims, json);
    IntsJson("expected_dims", each.expected_dims, json);
    Number("rtol", each.tolerance.rtol, json);
    Number("atol", each.tolerance.atol, json);
    Number("largest_ulp", each.tolerance.largest_ulp, json);
    json.Field("ulp", each.tolerance.ulp)
        .Field("elements", each.result.count)
        .Field("different", each.result.different)
        .Field("beyond", each.result.beyond);
    Number("max_absolute", each.result.max_absolute, json);
    Number("max_relative", each.result.max_relative, json);
    json.Field("max_ulp", each.result.max_ulp);
    Number("largest_expected", each.result.largest_expected, json);
    Worst(each.result, json);
    json.EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

std::string RunJson(const RunResult& result) {
  JsonWriter json;
  BeginJson("halo.run.v1", json);
  const Document& document = result.document;
  InputsJson(document, json);
  json.Field("program", result.program)
      .Field("engine", TextOf(result.engine))
      .Field("verified", result.is_verified)
      .Field("replicas", result.replicas)
      .Field("partitions", result.partitions)
      .Field("ranks", result.ranks)
      .Field("longest_sum", result.longest_sum)
      .Field("finished", result.has_results)
      .Field("instructions_executed", result.steps)
      .Field("work", result.work)
      .Field("input_bytes", result.input_bytes)
      .Field("peak_bytes", result.peak_bytes)
      .Field("seconds", result.seconds);
  Report(result, json);
  if (result.report.steps) {
    json.Field("resumed_after_step", result.report.steps->resumed)
        .Field("checkpoints_written", result.report.steps->written)
        .Field("checkpoint_step", result.report.steps->last);
  }
  SandboxJson(result.sandbox, json);
  json.Key("filled_constants").BeginArray();
  for (const std::string& name : result.filled) json.String(name);
  json.EndArray();
  if (!document.modules.empty()) {
    Inputs(result, json);
    Outputs(result, json);
    if (!result.gathers.empty()) Gathers(result, json);
    if (!result.traced.empty()) Traced(result, json);
    if (result.looked_for_nan) Origin(result, json);
    if (!result.expected.empty()) Comparisons(result, json);
  }
  DiagnosticsJson(document, result.diagnostics.all(), json);
  json.EndObject();
  return std::string(json.view());
}

}  // namespace halo
