// The result of `halo compare` as JSON. Fields are only ever added; a change of meaning requires a
// new schema.
#include "halo/api/document/json_parts.h"
#include "halo/api/run/run.h"
#include "halo/base/json/json_writer.h"

namespace halo {
namespace {

void Difference(std::string_view key, const std::optional<RankDifference>& found,
                JsonWriter& json) {
  json.Key(key);
  if (!found) {
    json.Null();
    return;
  }
  json.BeginObject()
      .Field("instruction", found->location.name)
      .Field("opcode", found->location.opcode)
      .Field("execution", found->execution);
  if (found->is_tuple) json.Field("leaf", static_cast<int64_t>(found->leaf));
  json.Key("devices").BeginArray().Number(found->device).Number(found->other).EndArray();
  json.Field("type", TextOf(found->type));
  IntsJson("dims", found->dims, json);
  json.Field("elements", found->count);
  if (found->has_values) {
    json.Field("different", found->different);
    IntsJson("index", found->index, json);
    json.Key("values").BeginArray().String(found->value).String(found->other_value).EndArray();
  }
  json.Key("operands").BeginArray();
  for (const OperandState& each : found->operands) {
    json.BeginObject()
        .Field("instruction", each.name)
        .Field("same", each.is_same)
        .Field("must_be_same", each.must_be)
        .EndObject();
  }
  json.EndArray().Key("path").BeginArray();
  for (const std::string& each : found->location.path) json.String(each);
  json.EndArray();
  if (!found->location.op_name.empty()) json.Field("op_name", found->location.op_name);
  if (!found->location.source.empty()) json.Field("source", found->location.source);
  json.EndObject();
}

}  // namespace

std::string CompareRanksJson(const RunResult& result) {
  JsonWriter json;
  BeginJson("halo.compare.v1", json);
  const Document& document = result.document;
  InputsJson(document, json);
  json.Field("program", result.program)
      .Field("engine", TextOf(result.engine))
      .Field("replicas", result.replicas)
      .Field("partitions", result.partitions)
      .Field("ranks", result.ranks)
      .Field("seconds", result.seconds);
  if (!result.report.declined.empty()) json.Field("not_compiled_because", result.report.declined);
  SandboxJson(result.sandbox, json);
  if (result.agreement) {
    json.Field("agree", !result.agreement->difference)
        .Field("instructions_that_must_agree", result.agreement->instructions)
        .Field("values_compared", result.agreement->compared);
    Difference("first_difference", result.agreement->difference, json);
    Difference("first_divergence", result.agreement->divergence, json);
  }
  DiagnosticsJson(document, result.diagnostics.all(), json);
  json.EndObject();
  return std::string(json.view());
}

}  // namespace halo
