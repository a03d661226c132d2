// What a collective computes, taken from the evaluator: the fold of a reduction, and for odd forms
// the whole op. make_collective.cc decides which of them an instruction needs.
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

// Nothing if the computation is more than arithmetic on scalars of this type.
std::optional<FoldMeaning> FoldOf(const Module& module, CompId comp, ElementType type);

// The instruction whose definition it is, and what it sees: the op without start or wrapper.
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
