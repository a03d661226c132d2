// Applies the evaluator's fold and definition to arrays in memory.
#include "halo/runtime/collective_meaning.h"

#include <memory>
#include <utility>

#include "halo/eval/collectives/collectives.h"
#include "halo/eval/collectives/member_fold.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/lanes/lane_program.h"
#include "halo/eval/machine.h"
#include "halo/ir/op_properties.h"
#include "halo/runtime/stored_array.h"

namespace halo {
namespace {

ReduceKind KindOf(Opcode opcode) {
  switch (PropertiesOf(opcode).fold) {
    case FoldKind::kSum: return ReduceKind::kSum;
    case FoldKind::kProduct: return ReduceKind::kProduct;
    case FoldKind::kMin: return ReduceKind::kMin;
    case FoldKind::kMax: return ReduceKind::kMax;
    case FoldKind::kAnd: return ReduceKind::kAnd;
    case FoldKind::kOr: return ReduceKind::kOr;
    case FoldKind::kXor: return ReduceKind::kXor;
    case FoldKind::kNone: break;
  }
  return ReduceKind::kGeneral;
}

// Loads every member's operands, has the evaluator combine them, and stores this member's results.
class Definition {
 public:
  Definition(const Module& module, const EvalOptions& options, DefinedOp defined)
      : state_(module, options), defined_(std::move(defined)) {}

  std::optional<Diagnostic> Run(std::span<const std::vector<const void*>> members,
                                std::span<const int64_t> devices, size_t me,
                                std::span<void* const> results) {
    const ShapeTable& shapes = state_.module.shapes;
    std::vector<std::vector<Value>> operands(members.size());
    std::vector<std::unique_ptr<Machine>> machines;
    std::vector<OpContext> contexts;
    for (size_t i = 0; i < members.size(); ++i) {
      std::vector<void*> leaves;
      for (const void* leaf : members[i]) leaves.push_back(const_cast<void*>(leaf));
      std::span<void* const> rest = leaves;
      for (const ShapeId shape : defined_.operands) {
        operands[i].push_back(LoadValue(shapes, shape, rest));
      }
      machines.push_back(std::make_unique<Machine>(state_, devices[i]));
      contexts.emplace_back(*machines.back(), state_.module, defined_.id, defined_.opcode,
                            defined_.result, operands[i]);
    }
    const Result<std::vector<Value>> values = EvalCollective(contexts, devices, state_.grid);
    if (!values) return values.error();
    if (!StoreValue(shapes, defined_.result, (*values)[me], results)) {
      return contexts[me].Fail(diag::kCannotEvaluate,
                               "yields something of another shape than it declares");
    }
    return std::nullopt;
  }

 private:
  EvalState state_;
  DefinedOp defined_;
};

}  // namespace

std::optional<FoldMeaning> FoldOf(const Module& module, CompId comp, ElementType type) {
  std::optional<LaneProgram> compiled = LaneProgram::Compile(module, comp);
  if (!compiled || !FoldsType(*compiled, type)) return std::nullopt;
  const auto program = std::make_shared<LaneProgram>(*std::move(compiled));
  FoldMeaning meaning;
  if (program->simple_binary()) meaning.kind = KindOf(*program->simple_binary());
  meaning.fold = [program, type](std::span<const uint8_t* const> in, uint8_t* out, int64_t count) {
    FoldMembers(*program, type, in, out, static_cast<size_t>(count));
    return std::optional<Diagnostic>();
  };
  return meaning;
}

void DefineByEvaluator(const Module& module, const EvalOptions& options, DefinedOp defined,
                       CollectiveOp& op) {
  const auto definition = std::make_shared<Definition>(module, options, std::move(defined));
  op.define = [definition](std::span<const std::vector<const void*>> members,
                           std::span<const int64_t> devices, size_t me,
                           std::span<void* const> results) {
    return definition->Run(members, devices, me, results);
  };
}

}  // namespace halo
