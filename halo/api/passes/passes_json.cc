// halo.passes.v1 and halo.passdiff.v1.
#include "halo/api/passes/passes_json.h"

#include <algorithm>

#include "halo/api/document/json_parts.h"
#include "halo/api/passes/compare_passes.h"
#include "halo/api/passes/list_passes.h"
#include "halo/base/diagnostics/base_diagnostics.h"

namespace halo {
namespace {

void InputsJson(std::initializer_list<const std::string*> paths, JsonWriter& json) {
  json.Key("inputs").BeginArray();
  for (const std::string* path : paths) {
    json.BeginObject().Field("path", std::string_view(*path)).EndObject();
  }
  json.EndArray();
}

void CountsJson(std::string_view key, const ModuleCounts& counts, JsonWriter& json) {
  json.Key(key).BeginObject().Field("instructions", counts.instructions);
  json.Field("computations", counts.computations).Field("fusions", counts.fusions);
  json.Field("bytes", counts.bytes).EndObject();
}

void CausesJson(std::string_view key, const ProgramDiff& diff, size_t top, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (size_t i = 0; i < std::min(top, diff.causes.size()); ++i) {
    const DiffCause& cause = diff.causes[i];
    json.BeginObject().Field("kind", TextOf(cause.kind));
    json.Field("what", std::string_view(cause.what)).Field("count", cause.count);
    json.Field("bytes", cause.bytes).EndObject();
  }
  json.EndArray();
}

void RefusedJson(const std::string& refused, const std::string& path, JsonWriter& json) {
  json.Key("diagnostics").BeginArray();
  if (!refused.empty()) {
    DiagnosticJson(path, MakeBinaryDiagnostic(diag::kCannotOpen, 0, refused), json);
  }
  json.EndArray();
}

}  // namespace

void StateFields(const PassState& state, JsonWriter& json) {
  json.Field("state", std::string_view(state.label));
  json.Field("pipeline", std::string_view(state.pipeline));
  json.Field("pass", std::string_view(state.pass)).Field("occurrence", state.occurrence);
}

void StateJson(std::string_view key, const std::optional<PassState>& state, JsonWriter& json) {
  if (!state) return;
  json.Key(key).BeginObject();
  StateFields(*state, json);
  json.EndObject();
}

std::string PassesJson(const PassesResult& result, const std::string& path) {
  JsonWriter json;
  BeginJson("halo.passes.v1", json);
  InputsJson({&path}, json);
  json.Field("ok", result.refused.empty());
  if (!result.refused.empty()) json.Field("refused", std::string_view(result.refused));
  json.Field("module", std::string_view(result.module)).Field("states", result.states);
  CountsJson("first", result.first, json);
  CountsJson("last", result.last, json);
  json.Key("passes").BeginArray();
  for (const PassEffect& each : result.passes) {
    json.BeginObject();
    StateFields(each.state, json);
    json.Field("changed", each.changed).Field("instructions", each.instructions);
    json.Field("fusions", each.fusions).Field("bytes", each.bytes);
    if (each.values_changed >= 0) {
      json.Field("values_changed", each.values_changed).Field("values_added", each.values_added);
      json.Field("values_removed", each.values_removed);
    }
    json.Field("what", std::string_view(each.what));
    json.Key("opcodes").BeginArray();
    for (const OpcodeDelta& count : each.opcodes) {
      json.BeginObject().Field("name", std::string_view(count.opcode));
      json.Field("before", count.before).Field("after", count.after).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
  json.Key("idle").BeginArray();
  for (const std::string& each : result.idle) json.String(each);
  json.EndArray();
  json.Key("follow").BeginArray();
  for (const FollowStep& each : result.follow) {
    json.BeginObject();
    StateFields(each.state, json);
    json.Field("event", std::string_view(each.event)).Field("name", std::string_view(each.name));
    json.Field("opcode", std::string_view(each.opcode))
        .Field("shape", std::string_view(each.shape));
    json.Field("kernel", std::string_view(each.kernel)).EndObject();
  }
  json.EndArray();
  json.Key("unreadable").BeginArray();
  for (const std::string& each : result.unreadable) json.String(each);
  json.EndArray();
  RefusedJson(result.refused, path, json);
  json.EndObject();
  return std::string(json.view());
}

std::string PassDiffJson(const PassDiff& diff, const std::string& path_a, const std::string& path_b,
                         size_t top) {
  JsonWriter json;
  BeginJson("halo.passdiff.v1", json);
  InputsJson({&path_a, &path_b}, json);
  json.Field("ok", diff.refused.empty());
  if (!diff.refused.empty()) json.Field("refused", std::string_view(diff.refused));
  json.Field("same", diff.same()).Field("pass", std::string_view(diff.pass));
  json.Field("states_before", diff.states_before).Field("states_after", diff.states_after);
  json.Field("equal", diff.equal);
  StateJson("last_before", diff.last_a, json);
  StateJson("last_after", diff.last_b, json);
  StateJson("first_before", diff.first_a, json);
  StateJson("first_after", diff.first_b, json);
  CausesJson("did_before", diff.did_a, top, json);
  CausesJson("did_after", diff.did_b, top, json);
  CausesJson("causes", diff.between, top, json);
  RefusedJson(diff.refused, path_a, json);
  json.EndObject();
  return std::string(json.view());
}

}  // namespace halo
