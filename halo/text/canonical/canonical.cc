// Runs the steps of canonicalization in the same order as XLA.
#include "halo/text/canonical/canonical.h"

namespace halo {

Style CanonicalStyle() {
  Style style;
  style.large_constants = false;
  return style;
}

void Canonicalize(Module& module) {
  ContractAsyncWrappers(module);
  UniquifyNames(module);
  NormalizeAttributes(module);
  RenumberStackFrames(module);
  NormalizeHeader(module);
  OrderComputations(module);
  OrderInstructions(module);
  module.style = CanonicalStyle();
}

}  // namespace halo
