// The result of `halo ls` as JSON. Fields are only ever added; a change of meaning requires a new
// schema.
#include "halo/api/info/dump_json.h"

#include "halo/api/document/json_parts.h"
#include "halo/base/json/json_writer.h"
#include "halo/dump/select.h"

namespace halo {
namespace {

const DumpFile& FileAt(const Dump& dump, int32_t file) {
  return dump.files[static_cast<size_t>(file)];
}

void FileJson(const Dump& dump, const DumpFile& file, bool with_owner, JsonWriter& json) {
  json.BeginObject()
      .Field("path", file.path)
      .Field("class", TextOf(file.file_role))
      .Field("bytes", file.bytes)
      .Field("compression", CompressionText(file.compression));
  if (file.file_role == FileRole::kUnknown) json.Field("looks_like", file.looks_like);
  if (with_owner && file.module >= 0) {
    json.Field("module", file.module);
    if (file.stage >= 0) {
      const DumpModule& module = dump.modules[static_cast<size_t>(file.module)];
      json.Field("stage", module.stages[static_cast<size_t>(file.stage)].label());
    }
  }
  json.EndObject();
}

void StageJson(const Dump& dump, const DumpStage& stage, JsonWriter& json) {
  json.BeginObject().Field("stage", stage.label()).Field("role", TextOf(stage.name.role));
  if (stage.name.role == StageRole::kPass) {
    json.Field("step", stage.name.step)
        .Field("pipeline", stage.name.pipeline)
        .Field("pass", stage.name.pass);
  }
  json.Key("files").BeginArray();
  for (const int32_t file : stage.files) FileJson(dump, FileAt(dump, file), false, json);
  json.EndArray().EndObject();
}

void ModuleJson(const Dump& dump, const DumpModule& module, JsonWriter& json) {
  json.BeginObject().Field("module", module.name);
  json.Key("number");
  if (module.number < 0) {
    json.Null();
  } else {
    json.Number(module.number);
  }
  json.Field("rank", dump.ranks[static_cast<size_t>(module.rank)])
      .Field("timestamp", module.timestamp)
      .Field("backend", module.backend)
      .Field("architecture", module.architecture)
      .Field("bytes", module.bytes);
  const int32_t main = MainStage(dump, module);
  json.Key("main_stage");
  if (main < 0) {
    json.Null();
  } else {
    json.String(module.stages[static_cast<size_t>(main)].label());
  }
  json.Key("stages").BeginArray();
  for (const DumpStage& stage : module.stages) StageJson(dump, stage, json);
  json.EndArray();
  json.Key("others").BeginArray();
  for (const int32_t file : module.others) FileJson(dump, FileAt(dump, file), false, json);
  json.EndArray();
  json.Key("missing").BeginArray();
  for (const MissingPiece& piece : module.missing) {
    json.BeginObject()
        .Field("what", piece.what)
        .Field("why", piece.why)
        .Field("flag", piece.flag)
        .Field("needed", piece.needed)
        .EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

std::string DumpJson(const Dump& dump, bool all_files) {
  JsonWriter json;
  BeginJson("halo.ls.v1", json);
  InputsJson(dump.root, json);
  json.Field("root", dump.root).Field("files", dump.files.size()).Field("bytes", dump.bytes);
  json.Key("ranks").BeginArray();
  for (const std::string& rank : dump.ranks) json.String(rank);
  json.EndArray();
  json.Key("modules").BeginArray();
  for (const DumpModule& module : dump.modules) ModuleJson(dump, module, json);
  json.EndArray();
  json.Key(all_files ? "all_files" : "other_files").BeginArray();
  for (const DumpFile& file : dump.files) {
    if (all_files || file.module < 0) FileJson(dump, file, true, json);
  }
  json.EndArray();
  json.Key("skipped").BeginArray();
  for (const SkippedPath& each : dump.skipped) {
    json.BeginObject().Field("path", each.path).Field("why", each.why).EndObject();
  }
  json.EndArray().Field("skipped_count", dump.skipped_count);
  DiagnosticsJson(dump.root, {}, json);
  json.EndObject();
  return std::string(json.view());
}

}  // namespace halo
