// Which dimension of a convolution's input, kernel and result is which, from text such as
// b01f_01io->b01f.
#ifndef HALO_EVAL_DIM_LABELS_H_
#define HALO_EVAL_DIM_LABELS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace halo {

// One operand's dimensions: its two named ones ('b' and 'f', or 'i' and 'o') and the spatial ones
// in the window's order.
struct ConvolutionDims {
  int64_t first = 0;
  int64_t second = 0;
  std::vector<int64_t> spatial;
};

struct DimLabels {
  ConvolutionDims input;   // batch, feature
  ConvolutionDims kernel;  // input feature, output feature
  ConvolutionDims output;  // batch, feature
};

// Nothing if the text is not of this form.
std::optional<DimLabels> ParseDimLabels(std::string_view text);

}  // namespace halo

#endif  // HALO_EVAL_DIM_LABELS_H_
