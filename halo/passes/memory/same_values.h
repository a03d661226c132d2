// Values that are one another under several names: what a loop carries unchanged and what all
// branches return alike is the value that came in, even where the dataflow, which follows XLA's,
// gives it a name of its own.
#ifndef HALO_PASSES_MEMORY_SAME_VALUES_H_
#define HALO_PASSES_MEMORY_SAME_VALUES_H_

#include <cstdint>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"

namespace halo {

class SameValues {
 public:
  explicit SameValues(const Dataflow& flow);

  // The value that a value is; none of none.
  [[nodiscard]] FlowId of(FlowId value) const {
    return value.valid() ? FlowId(same_[value.index()]) : value;
  }
  [[nodiscard]] FlowId at(InstId inst, uint32_t node) const { return of(flow_.at(inst, node)); }
  [[nodiscard]] FlowId at(Place place) const { return of(flow_.at(place)); }

 private:
  void FindInLoop(InstId loop);
  void FindInBranches(InstId conditional);
  [[nodiscard]] uint32_t Find(FlowId value);
  void Join(FlowId name, uint32_t value);

  const Dataflow& flow_;
  std::vector<uint32_t> same_;
};

// Parameter 0 of a computation; none if it has none.
InstId FirstParameter(const Module& module, CompId comp);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_SAME_VALUES_H_
