// The assigner's problem from what an assignment prints, without its module: values with their
// sizes and live ranges, where they appear, and the lines of the instructions that define them.
// Fusion bodies are not printed, so no value takes over an operand's memory unless its line says
// so.
#ifndef HALO_MEMORY_ASSIGN_PRINTED_PROBLEM_H_
#define HALO_MEMORY_ASSIGN_PRINTED_PROBLEM_H_

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/memory/assign/assign_problem.h"
#include "halo/memory/backend/backend_rules.h"
#include "halo/memory/model/assignment.h"
#include "halo/memory/text/printed_instruction.h"

namespace halo {

class PrintedProblem : public AssignProblem {
 public:
  // Values are numbered as in `printed.values`.
  PrintedProblem(const Assignment& printed, const BackendRules& rules);

  void OperandsOf(FlowId value, std::vector<FlowId>& out) const override;
  [[nodiscard]] bool MayShareAllocation(FlowId, FlowId) const override { return false; }
  [[nodiscard]] bool MayReplace(FlowId, FlowId) const override { return false; }
  [[nodiscard]] bool NeverReplaces(FlowId) const override { return true; }
  void CopiedBy(FlowId value, std::vector<FlowId>& out) const override;

 private:
  void AddValues();
  void JoinBuffers();
  void KeepGathersInside();
  // True for an all-gather, and for a fusion that starts or finishes one.
  [[nodiscard]] bool IsGather(uint32_t line) const;
  // The value at a position; invalid if there is none.
  [[nodiscard]] FlowId ValueAt(std::string_view instruction, std::span<const int64_t> steps) const;

  [[nodiscard]] const PrintedInstruction& LineOf(FlowId value) const {
    return lines_[line_of_[value.index()]];
  }

  const Assignment& printed_;
  std::vector<PrintedInstruction> lines_;             // one per instruction
  std::vector<uint32_t> line_of_;                     // by value
  std::vector<bool> has_semaphores_;                  // by line: defines or reads semaphores
  std::unordered_map<uint64_t, FlowId> at_;           // by instruction and index
  std::unordered_multimap<uint32_t, FlowId> within_;  // by instruction
};

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_PRINTED_PROBLEM_H_
