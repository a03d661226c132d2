// The parameters of every computation, found in one pass over the module: what looks at each call
// of a large computation must not look at its other instructions as well.
#ifndef HALO_ANALYSIS_GRAPH_PARAMETER_INDEX_H_
#define HALO_ANALYSIS_GRAPH_PARAMETER_INDEX_H_

#include <span>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

class ParameterIndex {
 public:
  explicit ParameterIndex(const Module& module);

  // In the order of the text, whatever their numbers; a broken module may repeat a number.
  [[nodiscard]] std::span<const InstId> of(CompId comp) const;

 private:
  const Module& module_;
  std::vector<InstId> parameters_;  // of all computations, which follow each other
};

}  // namespace halo

#endif  // HALO_ANALYSIS_GRAPH_PARAMETER_INDEX_H_
