// What a filling reads is small, so repeating one makes nothing large live longer.
#include "halo/passes/memory/repeat.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "halo/analysis/sharing/elementwise_use.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr uint32_t kMaxFused = 8;

bool IsScalar(const Module& module, InstId inst) {
  const ShapeId shape = module.inst(inst).shape;
  return module.shapes.is_array(shape) && module.shapes.dims(shape).empty();
}

bool Fills(const Module& module, InstId inst) {
  const Opcode opcode = module.inst(inst).opcode;
  if (opcode == Opcode::kParameter || opcode == Opcode::kConstant) return IsScalar(module, inst);
  return HasFlag(opcode, kGenerates) || opcode == Opcode::kConvert || opcode == Opcode::kBitcast;
}

}  // namespace

bool IsFilling(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  if (inst.opcode == Opcode::kIota) return true;
  const std::span<const InstId> operands = module.operands_of(inst);
  if (!module.shapes.is_array(inst.shape) ||
      !std::all_of(operands.begin(), operands.end(),
                   [&](InstId each) { return IsScalar(module, each); })) {
    return false;
  }
  if (inst.opcode == Opcode::kBroadcast) return true;
  if (inst.opcode != Opcode::kFusion) return false;
  const CompId comp = FusedComputation(module, inst);
  if (!comp.valid() || module.comp(comp).count > kMaxFused) return false;
  for (uint32_t i = 0; i < module.comp(comp).count; ++i) {
    if (!Fills(module, InstId(module.comp(comp).first + i))) return false;
  }
  return true;
}

InstId Repeat(ModuleEditor& edit, InstId id) {
  const InstId copy = edit.Clone(id, edit.inst(id).parent, edit.operands(id));
  if (edit.inst(id).opcode != Opcode::kFusion) return copy;
  const CompId comp = FusedComputation(edit.module(), edit.inst(id));
  const CompId own =
      edit.AddComputation(std::string(edit.module().text(edit.module().comp(comp).name)), comp);
  std::unordered_map<uint32_t, InstId> renamed;
  std::vector<InstId> operands;
  for (const InstId each : edit.instructions(comp)) {
    operands.clear();
    for (const InstId operand : edit.operands(each)) operands.push_back(renamed[operand.value]);
    renamed[each.value] = edit.Clone(each, own, operands);
  }
  edit.SetRoot(own, renamed[edit.root(comp).value]);
  const std::vector<int64_t> calls = {own.value};
  edit.SetAttr(copy,
               edit.tables().MakeInts(AttrKey::k_calls, calls,
                                      edit.module().Find(edit.inst(id), AttrKey::k_calls)->form));
  return copy;
}

}  // namespace halo
