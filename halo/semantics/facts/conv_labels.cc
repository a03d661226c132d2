// Parses dim_labels. Spatial dimensions are single digits, as XLA writes them.
#include "halo/semantics/facts/conv_labels.h"

namespace halo {
namespace {

constexpr size_t kUnset = static_cast<size_t>(-1);

// Records position `at`. Returns false if one is already recorded.
bool Set(size_t& where, size_t at) {
  if (where != kUnset) return false;
  where = at;
  return true;
}

bool ParseSide(std::string_view text, char batch, char feature, ConvSide& side) {
  if (text.size() < 2) return false;
  side = {kUnset, kUnset, std::vector<size_t>(text.size() - 2, kUnset)};
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == batch) {
      if (!Set(side.batch, i)) return false;
    } else if (c == feature) {
      if (!Set(side.feature, i)) return false;
    } else if (c >= '0' && c <= '9' && static_cast<size_t>(c - '0') < side.spatial.size()) {
      if (!Set(side.spatial[static_cast<size_t>(c - '0')], i)) return false;
    } else {
      return false;
    }
  }
  return side.batch != kUnset && side.feature != kUnset;
}

}  // namespace

std::optional<ConvLabels> ParseConvLabels(std::string_view text) {
  const size_t underscore = text.find('_');
  const size_t arrow = text.find("->");
  if (underscore == std::string_view::npos || arrow == std::string_view::npos ||
      arrow < underscore) {
    return std::nullopt;
  }
  ConvLabels labels;
  const std::string_view input = text.substr(0, underscore);
  const std::string_view kernel = text.substr(underscore + 1, arrow - underscore - 1);
  const std::string_view output = text.substr(arrow + 2);
  if (!ParseSide(input, 'b', 'f', labels.input) || !ParseSide(kernel, 'i', 'o', labels.kernel) ||
      !ParseSide(output, 'b', 'f', labels.output)) {
    return std::nullopt;
  }
  if (input.size() != kernel.size() || input.size() != output.size()) return std::nullopt;
  return labels;
}

}  // namespace halo
