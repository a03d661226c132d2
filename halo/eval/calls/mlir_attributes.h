// Reads the attributes of calls through XLA's foreign function interface: an MLIR dictionary as
// text, {side = 76 : ui8, scale = 0.5 : f64, on = true}. Yields the same tree as JSON; types are
// dropped.
#ifndef HALO_EVAL_CALLS_MLIR_ATTRIBUTES_H_
#define HALO_EVAL_CALLS_MLIR_ATTRIBUTES_H_

#include <optional>
#include <string_view>

#include "halo/base/json/json_reader.h"

namespace halo {

// Returns nothing if the text is not a dictionary. A key without a value is true.
std::optional<JsonValue> ParseMlirAttributes(std::string_view text);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_MLIR_ATTRIBUTES_H_
