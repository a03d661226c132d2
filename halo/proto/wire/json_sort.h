// JSON with the fields of every object sorted and no whitespace: the form in which some of XLA's
// printers show a backend_config that is unsorted in the proto.
#ifndef HALO_PROTO_WIRE_JSON_SORT_H_
#define HALO_PROTO_WIRE_JSON_SORT_H_

#include <optional>
#include <string>
#include <string_view>

namespace halo {

// Nullopt if the text is not JSON or is nested too deeply.
std::optional<std::string> SortedJson(std::string_view text);

}  // namespace halo

#endif  // HALO_PROTO_WIRE_JSON_SORT_H_
