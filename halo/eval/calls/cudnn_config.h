// The configuration of cuDNN convolutions: what is applied to the sums before they are stored.
#ifndef HALO_EVAL_CALLS_CUDNN_CONFIG_H_
#define HALO_EVAL_CALLS_CUDNN_CONFIG_H_

#include <optional>
#include <string_view>

#include "halo/eval/calls/activations.h"

namespace halo {

struct CudnnConfig {
  double result_scale = 1, side_scale = 0;
  std::optional<Activation> activation = Activation::kNone;  // nothing if unknown
  double slope = 0;                                          // see Activate
};

// Returns nothing if the text is not a valid configuration.
std::optional<CudnnConfig> ReadCudnnConfig(std::string_view text);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_CUDNN_CONFIG_H_
