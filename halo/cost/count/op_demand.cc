// Follows the columns of op_properties.def: what an op reads of operand 0, and whether the elements
// of its result are the operands' own.
#include "halo/cost/count/op_demand.h"

#include <algorithm>
#include <span>

#include "halo/cost/count/touched.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

ShapeId ShapeOfOperand(const Module& module, const Inst& inst, size_t i) {
  const InstId operand = module.operands_of(inst)[i];
  return operand.valid() ? module.inst(operand).shape : ShapeId();
}

double SizeOfOperand(const Module& module, const Inst& inst, size_t i) {
  const ShapeId shape = ShapeOfOperand(module, inst, i);
  return shape.valid() ? BytesOfShape(module.shapes, shape) : 0;
}

double CountOf(const Module& module, ShapeId shape) {
  return static_cast<double>(module.shapes.ElementCount(shape).value_or(0));
}

double Ratio(double part, double whole) { return whole > 0 ? std::min(part / whole, 1.0) : 0; }

// The share of operand 0 that is touched to read one result: gathers take many boxes.
double TouchedShare(const Module& module, const Inst& inst) {
  const ShapeId array = ShapeOfOperand(module, inst, 0);
  if (!array.valid()) return 0;
  const double whole = BytesOfShape(module.shapes, array);
  const std::span<const int64_t> box = module.IntsOf(inst.attrs, AttrKey::k_slice_sizes);
  if (PropertiesOf(inst.opcode).elements == OpElements::kGathered && !box.empty()) {
    double elements = 1;
    for (const int64_t extent : box) elements *= static_cast<double>(std::max<int64_t>(extent, 1));
    const double boxes = CountOf(module, inst.shape) / elements;
    return Ratio(boxes * BytesOfBox(module.shapes, array, box).bytes, whole);
  }
  return Ratio(BytesOfBox(module.shapes, array, module.shapes.dims(inst.shape)).bytes, whole);
}

}  // namespace

bool UpdatesInPlace(Opcode opcode) {
  const OpElements elements = PropertiesOf(opcode).elements;
  return elements == OpElements::kUpdated || elements == OpElements::kScattered;
}

size_t UpdatedOperands(const Inst& inst) {
  // A scatter has n arrays, the indices, n updates.
  return PropertiesOf(inst.opcode).elements == OpElements::kScattered ? (inst.operand_count - 1) / 2
                                                                      : 1;
}

UpdateBytes BytesOfUpdate(const Module& module, const Inst& inst, size_t i) {
  const bool scatters = PropertiesOf(inst.opcode).elements == OpElements::kScattered;
  const size_t arrays = UpdatedOperands(inst);
  const size_t at = scatters ? arrays + 1 + i : 1;
  if (at >= inst.operand_count || i >= inst.operand_count) return {};
  const ShapeId array = ShapeOfOperand(module, inst, i);
  const ShapeId update = ShapeOfOperand(module, inst, at);
  if (!array.valid() || !update.valid()) return {};
  if (scatters) {
    // Combines what is there with the updates.
    const double bytes =
        std::min(BytesOfShape(module.shapes, update), BytesOfShape(module.shapes, array));
    return {bytes, bytes};
  }
  const TouchedBytes touched = BytesOfBox(module.shapes, array, module.shapes.dims(update));
  return {touched.partial_tiles ? touched.bytes : 0, touched.bytes};
}

void OperandShares(const Module& module, const Inst& inst, double share, bool in_place,
                   std::vector<double>& out) {
  const OpProperties& op = PropertiesOf(inst.opcode);
  out.assign(inst.operand_count, share > 0 ? 1.0 : 0.0);
  if (inst.operand_count == 0 || share <= 0) return;
  if (UpdatesInPlace(inst.opcode)) {
    for (size_t i = 0; i < UpdatedOperands(inst); ++i) {
      const UpdateBytes bytes = BytesOfUpdate(module, inst, i);
      const double whole = SizeOfOperand(module, inst, i);
      const double read = op.elements == OpElements::kScattered ? bytes.read : 0;
      out[i] = in_place ? Ratio(bytes.read, whole) : 1 - Ratio(bytes.written - read, whole);
    }
    return;
  }
  switch (op.reads) {
    case OpReads::kTouched: out[0] = share * TouchedShare(module, inst); return;
    case OpReads::kTriangle: out[0] = share / 2; return;
    case OpReads::kAll: break;
  }
  if (op.flow == OpFlow::kElement) {
    out[0] = share * Ratio(BytesOfShape(module.shapes, inst.shape), SizeOfOperand(module, inst, 0));
    return;
  }
  if (op.category == OpCategory::kElementwise || PassesValuesOn(inst.opcode)) {
    for (double& each : out) each = share;
    return;
  }
  switch (op.elements) {
    case OpElements::kFirst:
      // A broadcast needs all of its operand for a part of the result; a copy as large a part.
      out[0] = HasFlag(inst.opcode, kGenerates) ? 1 : share;
      return;
    case OpElements::kConcatenated:
    case OpElements::kSummed:
    case OpElements::kAll:
      for (double& each : out) each = share;
      return;
    default: return;
  }
}

}  // namespace halo
