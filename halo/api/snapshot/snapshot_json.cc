// Writes and reads snapshots. Keys are sorted and nothing depends on paths, times or the machine.
#include "halo/api/document/json_parts.h"
#include "halo/api/snapshot/program_snapshot.h"
#include "halo/base/json/json_reader.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

constexpr std::string_view kSnapshotSchema = "halo.snapshot.v1";

std::optional<int64_t> OptionalInt(const JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  return value.AsInt(0);
}

}  // namespace

std::string SnapshotJson(const ProgramSnapshot& snapshot, const SnapshotResult* result) {
  JsonWriter json;
  BeginJson("halo.snapshot.v1", json);
  if (result != nullptr) {
    json.Key("inputs").BeginArray();
    for (const Document& document : result->memory.inputs.documents) InputJson(document, json);
    json.EndArray();
  }
  json.Field("program", std::string_view(snapshot.program));
  json.Field("backend", std::string_view(snapshot.backend));
  json.Field("instructions", snapshot.instructions);
  json.Key("fingerprints").BeginObject();
  json.Field("values", std::string_view(snapshot.values));
  json.Field("module", std::string_view(snapshot.module));
  json.Field("collectives", std::string_view(snapshot.collectives));
  json.EndObject();
  if (snapshot.memory_bytes) {
    json.Key("memory").BeginObject();
    if (snapshot.peak_bytes) json.Field("peak_bytes", *snapshot.peak_bytes);
    json.Field("bytes", *snapshot.memory_bytes);
    json.Field("temp_bytes", snapshot.temp_bytes.value_or(0));
    json.Field("planned", snapshot.is_planned);
    json.EndObject();
  }
  if (snapshot.seconds) {
    json.Key("time").BeginObject().Field("seconds", *snapshot.seconds);
    json.Field("device", std::string_view(snapshot.device)).EndObject();
  }
  json.Key("ops").BeginObject();
  for (const auto& [op, count] : snapshot.ops) json.Field(op, count);
  json.EndObject();
  json.Key("sizes").BeginArray();
  for (const auto& [key, count] : snapshot.sized) {
    json.BeginObject().Field("op", std::string_view(key.first));
    json.Field("bytes", key.second).Field("count", count).EndObject();
  }
  json.EndArray();
  if (result != nullptr) {
    json.Key("diagnostics").BeginArray();
    for (const Document& document : result->memory.inputs.documents) {
      ReadingDiagnosticsJson(document, json);
    }
    json.EndArray();
  }
  json.EndObject();
  return std::string(json.view());
}

bool IsSnapshot(std::string_view bytes) {
  // The schema comes first in a file that `halo snapshot` wrote.
  return bytes.substr(0, 200).find(kSnapshotSchema) != std::string_view::npos;
}

Result<ProgramSnapshot> ReadSnapshot(std::string_view bytes) {
  const std::optional<JsonValue> json = ParseJson(bytes);
  if (!json || !json->is_object() || (*json)["schema"].AsString() != kSnapshotSchema) {
    Diagnostic bad = MakeBinaryDiagnostic(diag::kCannotExplain, 0, "this is not a whole snapshot");
    bad.help = "make it again with `halo snapshot`";
    return bad;
  }
  ProgramSnapshot snapshot;
  snapshot.version = (*json)["halo_version"].AsString();
  snapshot.program = (*json)["program"].AsString();
  snapshot.backend = (*json)["backend"].AsString();
  snapshot.instructions = (*json)["instructions"].AsInt(0);
  const JsonValue& fingerprints = (*json)["fingerprints"];
  snapshot.values = fingerprints["values"].AsString();
  snapshot.module = fingerprints["module"].AsString();
  snapshot.collectives = fingerprints["collectives"].AsString();
  const JsonValue& memory = (*json)["memory"];
  snapshot.peak_bytes = OptionalInt(memory["peak_bytes"]);
  snapshot.memory_bytes = OptionalInt(memory["bytes"]);
  snapshot.temp_bytes = OptionalInt(memory["temp_bytes"]);
  snapshot.is_planned = memory["planned"].AsBool(false);
  const JsonValue& time = (*json)["time"];
  if (!time["seconds"].is_null()) snapshot.seconds = time["seconds"].AsDouble(0);
  snapshot.device = time["device"].AsString();
  const JsonValue& ops = (*json)["ops"];
  for (size_t i = 0; i < ops.keys.size(); ++i) snapshot.ops[ops.keys[i]] = ops.items[i].AsInt(0);
  for (const JsonValue& each : (*json)["sizes"].items) {
    snapshot.sized[{std::string(each["op"].AsString()), each["bytes"].AsInt(0)}] =
        each["count"].AsInt(0);
  }
  return snapshot;
}

}  // namespace halo
