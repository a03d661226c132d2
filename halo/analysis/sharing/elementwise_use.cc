// Most opcodes decide this by a trait, fusions by a walk from the parameter to the root.
#include "halo/analysis/sharing/elementwise_use.h"

#include <algorithm>
#include <unordered_set>

#include "halo/ir/types/element_type.h"

namespace halo {
namespace {

bool OpIsElementwise(const Module& module, const Inst& inst) {
  if (inst.opcode == Opcode::kBitcastConvert) {
    const std::span<const InstId> operands = module.operands_of(inst);
    if (operands.empty() || !operands[0].valid()) return false;
    return InfoOf(module.shapes.type(inst.shape)).bits ==
           InfoOf(module.shapes.type(module.inst(operands[0]).shape)).bits;
  }
  if (inst.opcode == Opcode::kMap) {
    const std::span<const int64_t> dimensions = module.IntsOf(inst.attrs, AttrKey::k_dimensions);
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (dimensions[i] != static_cast<int64_t>(i)) return false;
    }
    return true;
  }
  if (inst.opcode == Opcode::kConstant || inst.opcode == Opcode::kRng) return true;
  return (InfoOf(inst.opcode).traits & kElementwise) != 0;
}

}  // namespace

size_t OperandNumber(const Module& module, InstId inst, InstId operand) {
  const std::span<const InstId> operands = module.operands_of(module.inst(inst));
  return static_cast<size_t>(std::find(operands.begin(), operands.end(), operand) -
                             operands.begin());
}

size_t OperandCount(const Module& module, InstId inst, InstId operand) {
  const std::span<const InstId> operands = module.operands_of(module.inst(inst));
  return static_cast<size_t>(std::count(operands.begin(), operands.end(), operand));
}

CompId FusedComputation(const Module& module, const Inst& fusion) {
  const Attr* calls = module.Find(fusion, AttrKey::k_calls);
  if (calls == nullptr) return {};
  const std::span<const int64_t> list = module.list(calls->value);
  return list.empty() ? CompId() : CompId(static_cast<uint32_t>(list[0]));
}

InstId FusedParameter(const Module& module, const Inst& fusion, size_t number) {
  const CompId comp = FusedComputation(module, fusion);
  if (!comp.valid()) return {};
  const Computation& computation = module.comp(comp);
  for (uint32_t i = 0; i < computation.count; ++i) {
    const Inst& inst = module.insts[computation.first + i];
    if (inst.opcode == Opcode::kParameter && inst.extra == number) {
      return InstId(computation.first + i);
    }
  }
  return {};
}

bool IsElementwise(const Dataflow& flow, InstId id) {
  const Module& module = flow.module();
  const Inst& inst = module.inst(id);
  if (inst.opcode != Opcode::kFusion) return OpIsElementwise(module, inst);
  const CompId comp = FusedComputation(module, inst);
  if (!comp.valid()) return false;
  const Computation& computation = module.comp(comp);
  for (uint32_t i = 0; i < computation.count; ++i) {
    const InstId fused(computation.first + i);
    const Opcode opcode = module.inst(fused).opcode;
    if (opcode == Opcode::kParameter) continue;
    // Nested fusions do not nest deeply, but nothing should depend on that.
    if (opcode == Opcode::kFusion || !OpIsElementwise(module, module.inst(fused))) return false;
  }
  return true;
}

bool IsElementwiseOn(const Dataflow& flow, InstId id, size_t operand) {
  const Module& module = flow.module();
  const Inst& inst = module.inst(id);
  if (inst.opcode == Opcode::kDynamicUpdateSlice) return operand == 0;
  if (inst.opcode != Opcode::kFusion) return OpIsElementwise(module, inst);
  std::vector<InstId> work = {FusedParameter(module, inst, operand)};
  if (!work[0].valid()) return false;
  std::unordered_set<uint32_t> seen = {work[0].value};
  while (!work.empty()) {
    const InstId at = work.back();
    work.pop_back();
    for (const InstId user : flow.users().of(at)) {
      if (seen.contains(user.value)) continue;
      const bool goes_on =
          OpIsElementwise(module, module.inst(user)) ||
          (module.inst(user).opcode == Opcode::kDynamicUpdateSlice &&
           OperandCount(module, user, at) == 1 && OperandNumber(module, user, at) == 0);
      if (!goes_on) return false;
      seen.insert(user.value);
      work.push_back(user);
    }
  }
  return true;
}

}  // namespace halo
