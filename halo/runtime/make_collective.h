// From an instruction to the collective it stands for: every generation's form, synchronous, with
// start and done, or wrapped by async-start. Who meets is decided by the evaluator's rules
// (eval/collectives.h), so that both mean the same.
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

// A collective and where its arrays are among the instruction's. Leaves count the arrays of the
// operands, and those of the result, in order.
struct MadeCollective {
  CollectiveOp op;
  // By operand of the op: which leaf of the instruction's operands. By result: which of its result.
  std::vector<uint32_t> operand_leaves;
  std::vector<uint32_t> result_leaves;
  // A start's result repeats its operands: (operand leaf, result leaf). Same memory, or a copy.
  std::vector<std::pair<uint32_t, uint32_t>> forwarded;
};

// True for instructions that start or carry out a collective, sends and receives included; false
// for what ends one (done, update) and for transfers with the host.
bool IsCollectiveStart(const Module& module, InstId id);
// True if a later instruction ends it.
bool HasCollectiveDone(const Module& module, InstId id);

// `module` and `options` must outlive the op: a reduction computation is theirs.
Result<MadeCollective> MakeCollective(const Module& module, InstId id, const EvalOptions& options);

}  // namespace halo

#endif  // HALO_RUNTIME_MAKE_COLLECTIVE_H_
