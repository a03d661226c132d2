// The operations that a oneDNN matrix product applies to its result, as its configuration lists
// them.
#ifndef HALO_EVAL_CALLS_ONEDNN_CONFIG_H_
#define HALO_EVAL_CALLS_ONEDNN_CONFIG_H_

#include <initializer_list>
#include <optional>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/eval/calls/activations.h"
#include "halo/ir/types/element_type.h"

namespace halo {

// Multiplies by a factor and applies an activation, or adds the next operand.
struct OneDnnPostOp {
  bool adds = false;
  double factor = 1;
  Activation activation = Activation::kNone;
  double slope = 1;  // see Activate
};

// Returns nothing if an operation is unknown.
std::optional<std::vector<OneDnnPostOp>> ReadFusedOps(const JsonValue& fusions);

// Returns whether operands and result of a matrix product have types that XLA gives to oneDNN: real
// floats.
bool AreOneDnnTypes(std::initializer_list<ElementType> types);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_ONEDNN_CONFIG_H_
