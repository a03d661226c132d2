// What the assigner needs to know about a program, whatever it is derived from: a module through
// its analyses (module_problem.h), or the values that a dump printed (printed_problem.h).
#ifndef HALO_MEMORY_ASSIGN_ASSIGN_PROBLEM_H_
#define HALO_MEMORY_ASSIGN_ASSIGN_PROBLEM_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/liveness/buffers.h"
#include "halo/analysis/liveness/live_ranges.h"

namespace halo {

struct ProblemValue {
  int64_t bytes = 0;
  int64_t color = 0;
  TimeSpan range;
  BufferId buffer;          // invalid: it needs no memory of the program
  uint32_t position = 0;    // of its instruction, callers before callees
  int64_t parameter = -1;   // of the entry
  bool is_donated = false;  // whether that parameter's element is donated
  bool is_constant = false;
  bool is_tuple = false;
  bool is_thread_local = false;
  bool is_at_top = false;     // of its instruction's result
  bool stays_inside = false;  // must not be in memory that leaves the program
};

class AssignProblem {
 public:
  virtual ~AssignProblem() = default;

  std::vector<ProblemValue> values;  // by FlowId; ties are broken by it
  std::vector<std::vector<FlowId>> buffers;
  std::vector<bool> lives_out;  // by buffer
  std::vector<int64_t> sizes;   // by buffer
  int64_t end = 0;              // of the schedule

  [[nodiscard]] const ProblemValue& value(FlowId id) const { return values[id.index()]; }

  // The values at the top of the operands of the instruction that defines a value, in order;
  // invalid for an operand that has no value.
  virtual void OperandsOf(FlowId value, std::vector<FlowId>& out) const = 0;
  // Whether a value may take over the allocation, or the heap offset, of an operand whose live
  // range ends where the value is defined.
  [[nodiscard]] virtual bool MayShareAllocation(FlowId user, FlowId operand) const = 0;
  [[nodiscard]] virtual bool MayReplace(FlowId user, FlowId operand) const = 0;
  // True only if MayReplace is false whatever the operand.
  [[nodiscard]] virtual bool NeverReplaces(FlowId user) const = 0;
  // The values that appear anywhere in the operands of the copy that defines a value; none if no
  // copy defines it.
  virtual void CopiedBy(FlowId value, std::vector<FlowId>& out) const = 0;

 protected:
  AssignProblem() = default;
  AssignProblem(const AssignProblem&) = default;
  AssignProblem& operator=(const AssignProblem&) = default;

  // Sets each buffer's size from its values.
  void MeasureBuffers() {
    sizes.assign(buffers.size(), 0);
    for (size_t i = 0; i < buffers.size(); ++i) {
      for (const FlowId id : buffers[i]) sizes[i] = std::max(sizes[i], value(id).bytes);
    }
  }
};

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_ASSIGN_PROBLEM_H_
