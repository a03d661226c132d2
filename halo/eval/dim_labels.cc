// Reading dim_labels.
#include "halo/eval/dim_labels.h"

#include <cstddef>

namespace halo {

namespace {

std::optional<ConvolutionDims> ParsePart(std::string_view text, char first, char second) {
  ConvolutionDims dims;
  dims.first = dims.second = -1;
  dims.spatial.assign(text.size() < 2 ? 0 : text.size() - 2, -1);
  for (size_t i = 0; i < text.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i);
    if (text[i] == first) {
      dims.first = at;
    } else if (text[i] == second) {
      dims.second = at;
    } else {
      const size_t spatial = static_cast<size_t>(text[i]) - '0';
      if (spatial >= dims.spatial.size() || dims.spatial[spatial] >= 0) return std::nullopt;
      dims.spatial[spatial] = at;
    }
  }
  if (dims.first < 0 || dims.second < 0) return std::nullopt;
  return dims;
}

}  // namespace

std::optional<DimLabels> ParseDimLabels(std::string_view text) {
  const size_t underscore = text.find('_');
  const size_t arrow = text.find("->");
  if (underscore == std::string_view::npos || arrow == std::string_view::npos ||
      arrow < underscore) {
    return std::nullopt;
  }
  const auto input = ParsePart(text.substr(0, underscore), 'b', 'f');
  const auto kernel = ParsePart(text.substr(underscore + 1, arrow - underscore - 1), 'i', 'o');
  const auto output = ParsePart(text.substr(arrow + 2), 'b', 'f');
  if (!input || !kernel || !output || input->spatial.size() != kernel->spatial.size() ||
      input->spatial.size() != output->spatial.size()) {
    return std::nullopt;
  }
  return DimLabels{*input, *kernel, *output};
}

}  // namespace halo
