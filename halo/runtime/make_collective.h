// Builds a CollectiveOp from an instruction. Handles the forms of every XLA generation:
// synchronous, with start and done, or wrapped by async-start. The evaluator's rules
// (eval/collectives.h) determine the groups, so that both agree.
#ifndef HALO_RUNTIME_MAKE_COLLECTIVE_H_
#define HALO_RUNTIME_MAKE_COLLECTIVE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "halo/eval/evaluate.h"
#include "halo/ir/module.h"
#include "halo/runtime/collective.h"
#include "halo/semantics/devices/device_groups.h"

namespace halo {

// A collective and the positions of its arrays among the instruction's arrays. Leaves number the
// arrays of the operands, and separately those of the result, in order.
struct MadeCollective {
  CollectiveOp op;
  // For each operand of the op, the leaf of the instruction's operands; for each result, the leaf
  // of the instruction's result.
  std::vector<uint32_t> operand_leaves;
  std::vector<uint32_t> result_leaves;
  // Operands that a start repeats in its result: (operand leaf, result leaf). Same memory, or a
  // copy.
  std::vector<std::pair<uint32_t, uint32_t>> forwarded;
};

// True for instructions that start or perform a collective, including sends and receives. False for
// those that complete one (done, update) and for host transfers.
bool IsCollectiveStart(const Module& module, InstId id);
// True if a later instruction completes it.
bool HasCollectiveDone(const Module& module, InstId id);

// `module` and `options` must outlive the op, which refers to their reduction computation.
Result<MadeCollective> MakeCollective(const Module& module, InstId id, const EvalOptions& options);

}  // namespace halo

#endif  // HALO_RUNTIME_MAKE_COLLECTIVE_H_
