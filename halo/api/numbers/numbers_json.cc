// halo.numbers.v1 and halo.brokenpass.v1.
#include "halo/api/document/json_parts.h"
#include "halo/api/numbers/broken_pass.h"
#include "halo/api/numbers/compare_numbers.h"
#include "halo/api/passes/passes_json.h"

namespace halo {
namespace {

void ComparedJson(const ElementType type, const Dims& dims, const ArrayComparison& result,
                  JsonWriter& json) {
  json.Field("type", TextOf(type));
  json.Key("dims").BeginArray();
  for (const int64_t dim : dims) json.Number(dim);
  json.EndArray();
  json.Field("elements", result.count).Field("different", result.different);
  json.Field("beyond", result.beyond);
  if (result.beyond == 0 || result.worst.empty()) return;
  const ElementDifference& worst = result.worst.front();
  json.Key("worst").BeginObject().Key("index").BeginArray();
  for (const int64_t each : worst.index) json.Number(each);
  json.EndArray().Field("before", worst.expected).Field("after", worst.got);
  if (InfoOf(type).klass == ElementClass::kComplex) {
    json.Field("before_imag", worst.expected_imag).Field("after_imag", worst.got_imag);
  }
  json.Field("absolute", worst.absolute).EndObject();
}

void InstructionJson(std::string_view key, const InstructionLocation& at, JsonWriter& json) {
  json.Key(key).BeginObject().Field("name", std::string_view(at.name));
  json.Field("opcode", std::string_view(at.opcode));
  json.Field("op_name", std::string_view(at.op_name)).Field("source", std::string_view(at.source));
  json.Key("path").BeginArray();
  for (const std::string& step : at.path) json.String(step);
  json.EndArray().EndObject();
}

void NumbersFields(const NumbersResult& result, JsonWriter& json) {
  json.Field("agrees", result.agrees()).Field("wrong", result.wrong());
  json.Key("results").BeginArray();
  for (const ResultComparison& each : result.results) {
    json.BeginObject().Field("name", std::string_view(each.name)).Field("ok", each.ok());
    if (!each.problem.empty()) json.Field("problem", std::string_view(each.problem));
    ComparedJson(each.type, each.dims, each.result, json);
    json.EndObject();
  }
  json.EndArray().Field("values", result.values);
  if (!result.first) return;
  const ValueDifference& first = *result.first;
  json.Key("first").BeginObject();
  InstructionJson("before", first.before, json);
  InstructionJson("after", first.after, json);
  json.Field("device", first.device).Field("execution", first.execution);
  json.Field("leaf", first.leaf).Field("confidence", first.confidence);
  json.Field("repaired", first.repaired);
  ComparedJson(first.type, first.dims, first.result, json);
  json.Key("operands").BeginArray();
  for (const ComparedOperand& each : first.operands) {
    json.BeginObject().Field("name", std::string_view(each.name));
    json.Field("agreement", TextOf(each.agreement)).EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

std::string NumbersJson(const NumbersResult& result, const Document& before,
                        const Document& after) {
  JsonWriter json;
  BeginJson("halo.numbers.v1", json);
  json.Key("inputs").BeginArray();
  InputJson(before, json);
  InputJson(after, json);
  json.EndArray();
  json.Field("ok", result.refused.empty());
  if (!result.refused.empty()) json.Field("refused", std::string_view(result.refused));
  if (result.refused.empty()) NumbersFields(result, json);
  SandboxJson(result.sandbox, json);
  json.Key("diagnostics").BeginArray();
  for (const Diagnostic& each : result.diagnostics.all()) DiagnosticJson(result.failed, each, json);
  json.EndArray().EndObject();
  return std::string(json.view());
}

std::string BrokenPassJson(const BrokenPass& result, const std::string& path) {
  JsonWriter json;
  BeginJson("halo.brokenpass.v1", json);
  json.Key("inputs").BeginArray();
  json.BeginObject().Field("path", std::string_view(path)).EndObject().EndArray();
  json.Field("ok", result.refused.empty());
  if (!result.refused.empty()) json.Field("refused", std::string_view(result.refused));
  json.Field("module", std::string_view(result.module)).Field("states", result.states);
  json.Field("agrees", result.agrees());
  json.Key("checked").BeginArray();
  for (const CheckedState& each : result.checked) {
    json.BeginObject();
    StateFields(each.state, json);
    json.Field("outcome", TextOf(each.outcome)).Field("wrong", each.wrong);
    if (!each.why.empty()) json.Field("why", std::string_view(each.why));
    json.EndObject();
  }
  json.EndArray();
  StateJson("good", result.good, json);
  StateJson("bad", result.bad, json);
  if (result.bad) {
    json.Field("pass", std::string_view(result.bad->Name())).Field("skipped", result.skipped);
    json.Field("confirmed", result.is_confirmed).Key("between").BeginObject();
    NumbersFields(result.between, json);
    json.EndObject();
  }
  SandboxJson(result.sandbox, json);
  json.Key("diagnostics").BeginArray();
  for (const Diagnostic& each : result.diagnostics.all()) DiagnosticJson(path, each, json);
  json.EndArray().EndObject();
  return std::string(json.view());
}

}  // namespace halo
