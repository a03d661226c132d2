// Loads the operands from memory, evaluates one instruction, and stores its value.
#include "halo/runtime/reference_step.h"

#include <utility>
#include <vector>

#include "halo/eval/collectives/collectives.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/runtime/stored_array.h"

namespace halo {
namespace {

Diagnostic Failure(const Module& module, InstId inst, std::string_view what) {
  return MakeBinaryDiagnostic(
      diag::kCannotEvaluate, 0,
      "instruction %" + std::string(module.name_of(module.inst(inst))) + ": " + std::string(what));
}

}  // namespace

Result<Value> ReferenceSteps::Compute(InstId id, std::vector<Value> operands) {
  const Module& module = state_.module;
  const Inst& inst = module.inst(id);
  Machine machine(state_, state_.options.device);
  if (inst.opcode == Opcode::kFusion || inst.opcode == Opcode::kCall) {
    std::vector<CompId> called;
    module.CalledBy(inst, called);
    if (called.size() != 1) return Failure(module, id, "calls no single computation");
    machine.Start(called[0], std::move(operands));
    machine.Run();
    if (machine.status() == Machine::Status::kFailed) return machine.error();
    if (machine.status() != Machine::Status::kDone) {
      return Failure(module, id, "waits for other devices");
    }
    return machine.TakeResult();
  }
  OpContext cx(machine, module, id, inst.opcode, inst.shape, operands);
  if (IsCollectiveOp(inst.opcode)) {
    const int64_t self = state_.options.device;
    Result<std::vector<Value>> values = EvalCollective({&cx, 1}, {&self, 1}, state_.grid);
    if (!values.ok()) return values.error();
    return std::move((*values)[0]);
  }
  if (EvalRuleOf(inst.opcode) == nullptr) {
    return Failure(module, id, "has no definition outside its computation");
  }
  return EvalOp(cx);
}

std::optional<Diagnostic> ReferenceSteps::Run(InstId id, std::span<void* const> buffers) {
  const Module& module = state_.module;
  const Inst& inst = module.inst(id);
  std::vector<Value> operands;
  for (const InstId operand : module.operands_of(inst)) {
    operands.push_back(LoadValue(module.shapes, module.inst(operand).shape, buffers));
  }
  const Result<Value> value = Compute(id, std::move(operands));
  if (!value.ok()) return value.error();
  if (!StoreValue(module.shapes, inst.shape, *value, buffers)) {
    return Failure(module, id, "yields something of another shape than it declares");
  }
  return std::nullopt;
}

}  // namespace halo
