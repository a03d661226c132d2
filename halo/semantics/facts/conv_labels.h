// The parsed dim_labels of a convolution: "b01f_01io->b01f" gives the role of each dimension of
// input, kernel and output.
#ifndef HALO_SEMANTICS_FACTS_CONV_LABELS_H_
#define HALO_SEMANTICS_FACTS_CONV_LABELS_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace halo {

struct ConvSide {
  size_t batch = 0;             // of a kernel: its input features (i)
  size_t feature = 0;           // of a kernel: its output features (o)
  std::vector<size_t> spatial;  // in numeric order
};

struct ConvLabels {
  ConvSide input, kernel, output;
  [[nodiscard]] size_t spatial() const { return input.spatial.size(); }
};

// Returns nothing unless every side labels the same spatial dimensions, each dimension once.
std::optional<ConvLabels> ParseConvLabels(std::string_view text);

}  // namespace halo

#endif  // HALO_SEMANTICS_FACTS_CONV_LABELS_H_
