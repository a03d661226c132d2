// The assigner's problem for a scheduled module, from its analyses.
#ifndef HALO_MEMORY_ASSIGN_MODULE_PROBLEM_H_
#define HALO_MEMORY_ASSIGN_MODULE_PROBLEM_H_

#include <vector>

#include "halo/analysis/sharing/can_share.h"
#include "halo/analysis/sharing/in_place.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/assign/assign_problem.h"

namespace halo {

class ModuleProblem : public AssignProblem {
 public:
  ModuleProblem(const Dataflow& flow, const InPlacePairs& in_place, const Buffers& known_buffers,
                const LiveRanges& ranges, const AssignOptions& options);

  void OperandsOf(FlowId value, std::vector<FlowId>& out) const override;
  [[nodiscard]] bool MayShareAllocation(FlowId user, FlowId operand) const override;
  [[nodiscard]] bool MayReplace(FlowId user, FlowId operand) const override;
  [[nodiscard]] bool NeverReplaces(FlowId user) const override;
  void CopiedBy(FlowId value, std::vector<FlowId>& out) const override;

 private:
  enum class Kind : uint8_t { kUnreached, kGlobal, kThreadLocal };

  [[nodiscard]] std::vector<Kind> SortComputations() const;
  [[nodiscard]] std::vector<uint32_t> Positions(const std::vector<Kind>& kinds) const;
  void AddValues(const Buffers& known_buffers);
  void Resize();
  // True for an all-gather, and for a fusion that starts or finishes one.
  [[nodiscard]] bool IsGather(InstId inst) const;
  // True if an all-gather writes or reads the value.
  [[nodiscard]] bool TouchesGather(FlowId id) const;
  [[nodiscard]] bool ReadsInPlace(Position result, FlowId operand) const;

  const Dataflow& flow_;
  const Module& module_;
  const LiveRanges& ranges_;
  const AssignOptions& options_;
  CanShare can_share_;
};

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_MODULE_PROBLEM_H_
