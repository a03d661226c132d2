// Whether the result of an instruction may take over the memory of an operand whose live range ends
// there, by the rules of XLA's backends.
#ifndef HALO_ANALYSIS_SHARING_CAN_SHARE_H_
#define HALO_ANALYSIS_SHARING_CAN_SHARE_H_

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/sharing/in_place.h"
#include "halo/analysis/sharing/sharing_rules.h"

namespace halo {

// Remembers what it finds out about fusions, and is for one thread.
class CanShare {
 public:
  CanShare(const Dataflow& flow, const InPlacePairs& in_place, const SharingRules& rules)
      : flow_(flow), module_(flow.module()), in_place_(in_place), rules_(rules) {}

  // `operand.inst` must be an operand of `result.inst`.
  [[nodiscard]] bool operator()(Position operand, Position result) const;
  // True only if no part of this instruction's result may share, whatever the operand.
  [[nodiscard]] bool Never(InstId inst) const;

 private:
  // The backend's own decision; nullopt if it leaves the case to the common rules.
  [[nodiscard]] std::optional<bool> Hint(Position operand, Position result) const;
  [[nodiscard]] bool IntoFusion(Position operand, Position result) const;
  [[nodiscard]] bool FusionOnGpu(Position operand, Position result) const;
  [[nodiscard]] bool IntoCall(Position operand, InstId call) const;
  [[nodiscard]] bool LtMatmulBias(Position operand, Position result) const;
  [[nodiscard]] bool FindOnlyElementwiseUses(InstId parameter) const;
  [[nodiscard]] bool OnlyElementwiseUses(InstId parameter) const;
  [[nodiscard]] ShapeId ShapeAt(Position position) const {
    return flow_.trees().shape_at(module_.inst(position.inst).shape, position.node);
  }

  const Dataflow& flow_;
  const Module& module_;
  const InPlacePairs& in_place_;
  SharingRules rules_;
  mutable std::unordered_map<uint32_t, bool> only_elementwise_;  // by parameter of a fusion
};

}  // namespace halo

#endif  // HALO_ANALYSIS_SHARING_CAN_SHARE_H_
