// Selects the form of a kernel and returns its functions.
#include "halo/codegen/forms/lower_kernel.h"

#include <llvm/IR/Module.h>
#include <memory>
#include <utility>

#include "halo/codegen/kernel/kernel_body.h"
#include "halo/codegen/kernel/kernel_key.h"
#include "halo/codegen/kernel/kernel_schedule.h"
#include "halo/ir/op_properties.h"
#include "halo/passes/fusion/kernel_form.h"

namespace halo {
namespace {

// Ops that do not compute scalars from scalars here; fusions or other steps of the program handle
// them.
bool IsForeign(Opcode opcode) {
  switch (FlowOf(opcode)) {
    case OpFlow::kParameter:
    case OpFlow::kConstant:
    case OpFlow::kTuple:
    case OpFlow::kElement:
    case OpFlow::kCall:
    case OpFlow::kWhile:
    case OpFlow::kConditional: return true;
    default: return false;
  }
}

using LowerForm = std::optional<KernelSchedule> (*)(const BodyPtr&, std::string&);

// How a kernel may be lowered, best first. A loop computes anything, only more slowly.
std::vector<LowerForm> FormsOf(const Module& module, const Inst& inst) {
  if (const std::optional<KernelForm> form = StoredForm(module, inst)) {
    switch (*form) {
      case KernelForm::kLoop: return {&LowerScan, &LowerLoop};
      case KernelForm::kRow: return {&LowerRow, &LowerLoop};
      case KernelForm::kColumn: return {&LowerColumn, &LowerLoop};
      case KernelForm::kUpdate: return {&LowerUpdate, &LowerLoop};
    }
  }
  // A single instruction, or a fusion of another compiler, which is kept if inlining is disabled.
  if (HasReductionForm(module, inst)) return {&LowerRow, &LowerColumn, &LowerLoop};
  return {&LowerUpdate, &LowerScan, &LowerLoop};
}

std::optional<KernelSchedule> ChooseSchedule(const BodyPtr& body, std::string& why) {
  const Opcode opcode = body->at(body->inst).opcode;
  if (opcode == Opcode::kScatter) return LowerScatter(body, why);
  if (opcode == Opcode::kSelectAndScatter) return LowerSelectAndScatter(body, why);
  if (opcode == Opcode::kSort) return LowerSort(body, why);
  // The last form tried reports what is missing.
  for (const LowerForm form : FormsOf(*body->module, body->at(body->inst))) {
    why.clear();
    if (std::optional<KernelSchedule> found = form(body, why)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<LoweredKernel> LowerKernel(const Module& module, InstId inst, std::string& why,
                                         int64_t max_values) {
  if (IsForeign(module.inst(inst).opcode)) {
    why = "not computed by a kernel";
    return std::nullopt;
  }
  std::optional<KernelBody> made = MakeKernelBody(module, inst, why);
  if (!made) return std::nullopt;
  made->max_values = max_values;
  const auto body = std::make_shared<const KernelBody>(*std::move(made));
  LoweredKernel kernel;
  kernel.key = KernelKey(module, inst);
  kernel.emit = [](llvm::Module&) {};
  bool empty = true;
  for (size_t k = 0; k < body->roots.size(); ++k) empty = empty && body->result(k).count == 0;
  if (empty) return kernel;

  std::optional<KernelSchedule> plan = ChooseSchedule(body, why);
  if (!plan) return std::nullopt;
  const std::string symbol = KeySymbol(kernel.key);
  kernel.temp_bytes = plan->temp_bytes;
  std::vector<std::pair<std::string, KernelCode>> functions;
  for (KernelPart& part : plan->parts) {
    const std::string name = symbol + "_" + std::to_string(functions.size());
    if (!TryFunction(*body, part.code, why, nullptr, &kernel.emitted)) return std::nullopt;
    kernel.calls.push_back({.symbol = name,
                            .iterations = part.iterations,
                            .grain = part.grain,
                            .copied_from = part.copied_from,
                            .copied_to = part.copied_to});
    functions.emplace_back(name, std::move(part.code));
  }
  kernel.emit = [body, functions = std::move(functions)](llvm::Module& to) {
    std::string ignored;
    for (const auto& [name, code] : functions) WriteFunction(to, name, *body, code, ignored);
  };
  return kernel;
}

}  // namespace halo
