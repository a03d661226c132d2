// A state of a compilation as JSON, for every document that names one.
#ifndef HALO_API_PASSES_PASSES_JSON_H_
#define HALO_API_PASSES_PASSES_JSON_H_

#include <optional>
#include <string_view>

#include "halo/api/passes/pass_states.h"
#include "halo/base/json/json_writer.h"

namespace halo {

// Members of an open object.
void StateFields(const PassState& state, JsonWriter& json);
// A member with this key, if there is a state.
void StateJson(std::string_view key, const std::optional<PassState>& state, JsonWriter& json);

}  // namespace halo

#endif  // HALO_API_PASSES_PASSES_JSON_H_
