// Schema halo.embedding.v1, as viewer/embedding.md describes it.
#include "halo/api/report/report_manifest.h"

#include "halo/api/document/version.h"
#include "halo/base/json/json_writer.h"

namespace halo {
namespace {

void Positions(std::string_view key, const std::vector<int32_t>& list, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const int32_t each : list) json.Number(each);
  json.EndArray();
}

void OrNull(std::string_view key, int64_t value, JsonWriter& json) {
  json.Key(key);
  if (value < 0) {
    json.Null();
  } else {
    json.Number(value);
  }
}

}  // namespace

std::string ManifestJson(const Manifest& manifest) {
  JsonWriter json;
  json.BeginObject()
      .Field("schema", "halo.embedding.v1")
      .Field("producer", "halo " + std::string(Version()))
      .Field("source", manifest.served ? "served" : "embedded")
      .Field("title", manifest.title)
      .Field("redacted", manifest.redacted);
  json.Key("first").BeginObject().Field("program", manifest.first).Field("view", manifest.view);
  if (manifest.against) json.Field("against", *manifest.against);
  json.EndObject();
  json.Key("programs").BeginArray();
  for (const ManifestProgram& program : manifest.programs) {
    json.BeginObject().Field("module", program.module);
    OrNull("number", program.number, json);
    json.Field("rank", program.rank)
        .Field("backend", program.backend)
        .Field("architecture", program.architecture)
        .Field("stage", program.stage.text)
        .Field("role", TextOf(program.stage.role))
        .Field("pass", program.stage.pass);
    OrNull("step", program.stage.step, json);
    OrNull("file", program.file, json);
    Positions("assignment", program.assignment, json);
    Positions("with", program.with, json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("files").BeginArray();
  for (size_t i = 0; i < manifest.files.size(); ++i) {
    const ManifestFile& file = manifest.files[i];
    json.BeginObject()
        .Field("name", file.name)
        .Field("kind", TextOf(file.file_role))
        .Field("bytes", file.bytes);
    if (manifest.served) {
      json.Field("url", "file/" + std::to_string(i));
    } else {
      json.Field("element", "halo-data-" + std::to_string(i));
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key("missing").BeginArray();
  for (const ManifestMissing& each : manifest.missing) {
    json.BeginObject()
        .Field("module", each.module)
        .Field("rank", each.rank)
        .Field("what", each.piece.what)
        .Field("why", each.piece.why)
        .Field("flag", each.piece.flag)
        .Field("needed", each.piece.needed)
        .EndObject();
  }
  json.EndArray().Field("left_out", manifest.left_out).EndObject();
  std::string safe;
  for (const char c : json.view()) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace halo
