// JSON with every object's fields in sorted order and no blanks: the form in which some of XLA's
// printers show a backend_config that the proto holds unsorted.
#ifndef HALO_PROTO_WIRE_JSON_SORT_H_
#define HALO_PROTO_WIRE_JSON_SORT_H_

#include <optional>
#include <string>
#include <string_view>

namespace halo {

// Nothing if the text is not JSON, or nests too deep.
std::optional<std::string> SortedJson(std::string_view text);

}  // namespace halo

#endif  // HALO_PROTO_WIRE_JSON_SORT_H_
