// What is fused behind a product of oneDNN's, as its configuration says.
#ifndef HALO_EVAL_CALLS_ONEDNN_CONFIG_H_
#define HALO_EVAL_CALLS_ONEDNN_CONFIG_H_

#include <optional>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/eval/calls/activations.h"

namespace halo {

// An activation of the number times a factor, or the addition of the next operand.
struct OneDnnPostOp {
  bool adds = false;
  double factor = 1;
  Activation activation = Activation::kNone;
  double slope = 1;  // see Activate
};

// Nothing if one of them is unknown.
std::optional<std::vector<OneDnnPostOp>> ReadFusedOps(const JsonValue& fusions);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_ONEDNN_CONFIG_H_
