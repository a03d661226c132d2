// The semantics of a collective, taken from the evaluator: the fold of a reduction and, for unusual
// forms, the whole op. make_collective.cc decides which of them an instruction needs.
#ifndef HALO_RUNTIME_COLLECTIVE_MEANING_H_
#define HALO_RUNTIME_COLLECTIVE_MEANING_H_

#include <optional>
#include <vector>

#include "halo/eval/evaluate.h"
#include "halo/ir/module.h"
#include "halo/runtime/collective.h"

namespace halo {

struct FoldMeaning {
  ReduceKind kind = ReduceKind::kGeneral;
  FoldFunction fold;
};

// Returns nullopt if the computation is more than arithmetic on scalars of this type.
std::optional<FoldMeaning> FoldOf(const Module& module, CompId comp, ElementType type);

// The instruction that defines the op, with its operands and result: the op without its start or
// async wrapper.
struct DefinedOp {
  InstId id;
  Opcode opcode{};
  std::vector<ShapeId> operands;
  ShapeId result;
};

// Sets op.define to the evaluator's definition.
void DefineByEvaluator(const Module& module, const EvalOptions& options, DefinedOp defined,
                       CollectiveOp& op);

}  // namespace halo

#endif  // HALO_RUNTIME_COLLECTIVE_MEANING_H_
