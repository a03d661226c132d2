// Bytes that an instruction moves between memory and the processor. A fusion reads each byte that
// it needs once: what its computation slices or gathers counts as far as it is touched, what it
// updates in place as far as it is written. Control flow, tuples and the second halves of async ops
// move nothing themselves.
#ifndef HALO_COST_COUNT_TRAFFIC_H_
#define HALO_COST_COUNT_TRAFFIC_H_

#include <optional>
#include <unordered_map>
#include <vector>

#include "halo/cost/count/cost.h"
#include "halo/cost/count/memory_levels.h"
#include "halo/cost/count/op_demand.h"
#include "halo/ir/module.h"

namespace halo {

class TrafficCounter {
 public:
  TrafficCounter(const Module& module, MemoryLevels levels);

  // Must be called for each fused computation before `Of` for the fusion that calls it;
  // computations that it calls come first.
  void AddFused(CompId comp);

  [[nodiscard]] Traffic Of(const Inst& inst) const;

 private:
  struct FusedNeeds {
    std::vector<double> parameters;                   // share of each that is read
    std::vector<std::optional<UpdateBytes>> outputs;  // of each leaf that is updated in place
    double constants = 0;                             // bytes
    bool is_known = false;
  };

  // Of a wide tuple, summed up once.
  [[nodiscard]] double BytesOf(ShapeId shape) const;
  void MarkOutputs(CompId comp, std::vector<double>& shares, std::vector<bool>& in_place);
  [[nodiscard]] Traffic OfFusion(const Inst& inst, const FusedNeeds& needs) const;
  // Adds what is read of each operand, each once.
  void AddOperands(const Inst& inst, std::vector<double> shares, Traffic& traffic) const;
  // Calls visit(array shape) for each array that the instruction itself writes.
  template <class Visit>
  void ForEachWritten(const Inst& inst, const Visit& visit) const;

  const Module& module_;
  MemoryLevels levels_;
  std::vector<FusedNeeds> fused_;  // by computation
  mutable std::unordered_map<uint32_t, double> tuple_bytes_;
};

// The computation that a fusion calls; invalid if there is none.
CompId BodyOfFusion(const Module& module, const Inst& inst);
// The instruction whose array an output is, through bitcasts.
InstId BehindBitcasts(const Module& module, InstId id);

}  // namespace halo

#endif  // HALO_COST_COUNT_TRAFFIC_H_
