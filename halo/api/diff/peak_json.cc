// Writes the figures of both sides, the four terms, and every cause with its values.
#include "halo/api/diff/peak_json.h"

#include <string_view>

namespace halo {
namespace {

void SideJson(std::string_view key, const PeakSide& side, JsonWriter& json) {
  json.Key(key).BeginObject().Field("bytes", side.bytes).Field("held_bytes", side.held_bytes);
  json.Field("heap_bytes", side.heap_bytes).Field("live_bytes", side.live_bytes);
  json.Field("time", side.time).Field("instruction", std::string_view(side.instruction));
  json.Field("op_name", std::string_view(side.op_name)).Field("planned_by_halo", side.is_planned);
  json.EndObject();
}

}  // namespace

void PeakJson(const PeakChange& change, JsonWriter& json) {
  json.Key("peak").BeginObject().Field("bytes", change.bytes());
  SideJson("before", change.before, json);
  SideJson("after", change.after, json);
  json.Field("only_after", change.only_after).Field("only_before", change.only_before);
  json.Field("resized", change.resized).Field("packing", change.packing);
  json.Key("causes").BeginArray();
  for (const PeakCause& cause : change.causes) {
    json.BeginObject().Field("kind", TextOf(cause.kind));
    json.Field("what", std::string_view(cause.what)).Field("count", cause.count);
    json.Field("bytes", cause.bytes);
    if (cause.replayed) json.Field("replayed_bytes", *cause.replayed);
    json.Key("moved").BeginArray();
    for (const std::string& name : cause.moved) json.String(name);
    json.EndArray();
    json.Key("places").BeginArray();
    for (const PeakPlace& place : cause.places) {
      json.BeginObject();
      if (!place.before.empty()) json.Field("before", std::string_view(place.before));
      if (!place.after.empty()) json.Field("after", std::string_view(place.after));
      if (!place.because.empty()) json.Field("because", std::string_view(place.because));
      json.Field("bytes", place.bytes).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace halo
