// Writes the report field by field.
#include "halo/api/shrink/shrink_document.h"

#include "halo/api/document/json_parts.h"
#include "halo/text/write/write_text.h"

namespace halo {

std::string ShrinkJson(const Document& document, const ShrinkResult& result) {
  JsonWriter json;
  BeginJson("halo.shrink.v1", json);
  InputsJson(document, json);
  json.Field("ok", result.refused.empty() && document.errors() == 0);
  if (!result.refused.empty()) json.Field("refused", std::string_view(result.refused));
  json.Key("devices").BeginObject();
  json.Field("before", result.devices).Field("after", result.new_devices).EndObject();
  json.Key("bytes_per_device").BeginObject();
  json.Field("before", result.bytes).Field("after", result.new_bytes).EndObject();
  json.Key("dimensions").BeginArray();
  for (const FoundDim& dim : result.dims) {
    json.BeginObject().Field("size", dim.size).Field("new_size", dim.new_size);
    json.Field("meaning", std::string_view(dim.meaning)).Field("uses", dim.uses);
    json.Field("example", std::string_view(dim.example)).Field("device_axis", dim.device);
    if (!dim.pinned.empty()) {
      json.Field("stays_because", std::string_view(dim.pinned));
      json.Field("stays_for", std::string_view(dim.pinned_by));
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key("recovered_constants").BeginArray();
  for (const RecoveredConstant& constant : result.recovered) {
    json.BeginObject().Field("name", std::string_view(constant.name));
    json.Field("how", std::string_view(constant.how));
    IntsJson("values", constant.values, json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("changed_constants").BeginArray();
  for (const ChangedConstant& constant : result.constants) {
    json.BeginObject().Field("name", std::string_view(constant.name));
    json.Field("before", constant.before).Field("after", constant.after);
    json.Field("because", std::string_view(constant.because)).EndObject();
  }
  json.EndArray();
  DiagnosticsJson(document, {}, json);
  json.EndObject();
  return std::string(json.view());
}

std::string ShrunkText(const ShrinkResult& result) { return HloText(result.module); }

}  // namespace halo
