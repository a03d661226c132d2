// Prints and parses arrays of numbered element types.
#include "halo/proto/parts/unknown_array.h"

#include "halo/ir/sharding/scanner.h"
#include "halo/ir/types/shape.h"

namespace halo {

std::string UnknownArrayText(int64_t type_number, std::span<const int64_t> dims,
                             std::span<const uint8_t> dynamic) {
  std::string text = "type" + std::to_string(type_number) + "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i != 0) text += ',';
    if (dims[i] == kUnboundedDimension) {
      text += '?';
      continue;
    }
    if (i < dynamic.size() && dynamic[i] != 0) text += "<=";
    text += std::to_string(dims[i]);
  }
  return text + "]";
}

std::optional<UnknownArray> ParseUnknownArray(std::string_view text) {
  Scanner scan(text);
  UnknownArray array;
  if (!scan.Eat("type")) return std::nullopt;
  const auto number = scan.Int();
  if (!number || *number <= 0 || !scan.Eat('[')) return std::nullopt;
  array.type_number = *number;
  while (!scan.Eat(']')) {
    if (!array.dims.empty() && !scan.Eat(',')) return std::nullopt;
    const bool is_unbounded = scan.Eat('?');
    const bool is_dynamic = is_unbounded || scan.Eat("<=");
    const auto dim = is_unbounded ? kUnboundedDimension : scan.Int();
    if (!dim) return std::nullopt;
    array.dims.push_back(*dim);
    array.dynamic.push_back(is_dynamic ? 1 : 0);
  }
  return array;
}

}  // namespace halo
