// The beginning of every document.
#include "halo/describe/write_json.h"

namespace halo::describe {

void BeginDocument(std::string_view schema, JsonWriter& json) {
  json.BeginObject().Field("schema", schema).Field("halo_version", HALO_VERSION);
}

}  // namespace halo::describe
