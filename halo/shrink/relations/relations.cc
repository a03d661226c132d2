// Visits each instruction once. Elementwise ops, the largest family, are handled here.
#include "halo/shrink/relations/relations.h"

#include <algorithm>

#include "halo/ir/opcode.h"

namespace halo {
namespace {

bool IsSumOp(Opcode opcode) {
  return opcode == Opcode::kSlice || opcode == Opcode::kPad || opcode == Opcode::kConcatenate;
}

}  // namespace

Relations::Relations(const Module& module, DimSpace& space, DimTable& dims, DeviceAxes& devices)
    : module_(module), space_(space), dims_(dims), devices_(devices), parameters_(module) {
  // Sums come last: whether a dimension is a product determines how a slice of it is interpreted.
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    if (!IsSumOp(module.insts[i].opcode)) Relate(InstId(i));
  }
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    if (IsSumOp(module.insts[i].opcode)) Relate(InstId(i));
  }
  for (uint32_t i = 0; i < module.insts.size(); ++i) RelateIndexVectors(InstId(i));
}

void Relations::Same(Dims a, Dims b, InstId why) {
  if (a.size() != b.size()) return;
  for (size_t i = 0; i < a.size(); ++i) {
    if (space_.size(a[i]) == space_.size(b[i])) space_.Unify(a[i], b[i], why);
  }
}

void Relations::PinDims(Dims dims, InstId why, const std::string& text) {
  for (const DimId dim : dims) space_.Pin(dim, why, text);
}

void Relations::PinAll(InstId id, const std::string& text) {
  PinDims(of(id), id, text);
  for (const InstId each : module_.operands_of(inst(id))) {
    // What is pinned stays pinned, however many instructions read a wide tuple.
    if (pinned_.insert(each.value).second) PinDims(of(each), id, text);
  }
}

void Relations::Relate(InstId id) {
  if (RelateElementwise(id) || RelateStructure(id) || RelateMovement(id) || RelateIndexing(id) ||
      RelateArithmetic(id) || RelateCollective(id)) {
    return;
  }
  PinAll(id, "what " + std::string(module_.opcode_text(inst(id))) + " does with sizes is unknown");
}

bool Relations::RelateElementwise(InstId id) {
  const Inst& op = inst(id);
  if (op.opcode == Opcode::kBitcastConvert) {
    // A change of width adds or removes the last dimension.
    const Dims from = operand_dims(id, 0), to = of(id);
    const size_t shared = std::min(from.size(), to.size());
    Same(from.first(shared), to.first(shared), id);
    PinDims(from.subspan(shared), id, "it holds the parts of one element");
    PinDims(to.subspan(shared), id, "it holds the parts of one element");
    return true;
  }
  if (!HasTrait(op.opcode, kElementwise)) return false;
  for (const InstId each : module_.operands_of(op)) Same(of(each), of(id), id);
  return true;
}

}  // namespace halo
