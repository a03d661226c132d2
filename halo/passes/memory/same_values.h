// Identifies values that are the same under several names: a value that a loop carries unchanged,
// or that all branches return, is the value that came in, even where the dataflow, which follows
// XLA's, gives it a separate name.
#ifndef HALO_PASSES_MEMORY_SAME_VALUES_H_
#define HALO_PASSES_MEMORY_SAME_VALUES_H_

#include <cstdint>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"

namespace halo {

class SameValues {
 public:
  explicit SameValues(const Dataflow& flow);

  // The canonical value of a value; an invalid id for an invalid one.
  [[nodiscard]] FlowId of(FlowId value) const {
    return value.valid() ? FlowId(same_[value.index()]) : value;
  }
  [[nodiscard]] FlowId at(InstId inst, uint32_t node) const { return of(flow_.at(inst, node)); }
  [[nodiscard]] FlowId at(Position position) const { return of(flow_.at(position)); }

 private:
  void FindInLoop(InstId loop);
  void FindInBranches(InstId conditional);
  [[nodiscard]] uint32_t Find(FlowId value);
  void Join(FlowId name, uint32_t value);

  const Dataflow& flow_;
  std::vector<uint32_t> same_;
};

// Parameter 0 of a computation; none if there is no parameter.
InstId FirstParameter(const Module& module, CompId comp);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_SAME_VALUES_H_
