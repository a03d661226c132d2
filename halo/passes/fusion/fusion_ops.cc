// Instructions as fusions see them.
#include <algorithm>

#include "halo/ir/op_properties.h"
#include "halo/passes/fusion/fusion_cluster.h"
#include "halo/passes/rewrite/physical.h"

namespace halo {
namespace {

// Moving more than this with another minor dimension is a kernel of its own, which can do it in
// blocks.
constexpr int64_t kMaxTransposed = 1 << 16;
constexpr int64_t kMaxJoined = 1 << 16;
constexpr uint32_t kMaxJoinedParts = 4;

ShapeId OperandShape(const Module& module, const Inst& inst, size_t i) {
  return module.inst(module.operands_of(inst)[i]).shape;
}

// The minor dimension of the result is that of the operand.
bool KeepsMinor(const Module& module, const Inst& inst) {
  const ShapeId from = OperandShape(module, inst, 0);
  const std::vector<int64_t> before = MajorToMinor(module.shapes, from);
  const std::vector<int64_t> after = MajorToMinor(module.shapes, inst.shape);
  if (before.empty() || after.empty()) return true;
  int64_t minor = after.back();
  if (inst.opcode == Opcode::kTranspose) {
    minor = module.IntsOf(inst.attrs, AttrKey::k_dimensions)[static_cast<size_t>(minor)];
  }
  return minor == before.back();
}

bool IsMinor(const Module& module, ShapeId shape, int64_t dim) {
  const std::vector<int64_t> order = MajorToMinor(module.shapes, shape);
  return !order.empty() && order.back() == dim;
}

bool IsIdentityMap(const Module& module, const Inst& inst) {
  const std::span<const int64_t> dims = module.IntsOf(inst.attrs, AttrKey::k_dimensions);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

FusedOp FusedOpOf(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const OpFusion fusion = PropertiesOf(inst.opcode).fusion;
  if (fusion == OpFusion::kReduce) return FusedOp::kReduce;
  if (!module.shapes.is_array(inst.shape)) return FusedOp::kNone;
  const FusedOp own =
      HasTrait(inst.opcode, kElementwise) ? FusedOp::kElementwise : FusedOp::kMovement;
  const auto if_so = [](bool holds, FusedOp op) { return holds ? op : FusedOp::kNone; };
  switch (fusion) {
    case OpFusion::kNever:
    case OpFusion::kReduce: return FusedOp::kNone;
    case OpFusion::kElementwise:
    case OpFusion::kMovement: return own;
    case OpFusion::kSameWidth:
      // Between widths it is no matter of indices.
      return if_so(InfoOf(module.shapes.type(inst.shape)).bits ==
                       InfoOf(module.shapes.type(OperandShape(module, inst, 0))).bits,
                   own);
    case OpFusion::kMinorKept:
      return if_so(KeepsMinor(module, inst) || ElementsOf(module, id) <= kMaxTransposed, own);
    case OpFusion::kFewParts: {
      const std::span<const int64_t> dims = module.IntsOf(inst.attrs, AttrKey::k_dimensions);
      const bool few = inst.operand_count <= kMaxJoinedParts && !dims.empty() &&
                       IsMinor(module, inst.shape, dims[0]);
      return if_so(ElementsOf(module, id) <= kMaxJoined || few, own);
    }
    case OpFusion::kScalar:
      return if_so(module.shapes.dims(inst.shape).empty() &&
                       !module.literals.is_elided(LiteralId(inst.extra)),
                   FusedOp::kElementwise);
    case OpFusion::kMap: return if_so(IsIdentityMap(module, inst), FusedOp::kElementwise);
    case OpFusion::kUpdate: return FusedOp::kUpdate;
  }
  return FusedOp::kNone;
}

ReduceShape ReduceShapeOf(const Module& module, InstId reduce) {
  const Inst& inst = module.inst(reduce);
  ReduceShape shape;
  shape.input = OperandShape(module, inst, 0);
  shape.result =
      module.shapes.is_tuple(inst.shape) ? module.shapes.elements(inst.shape)[0] : inst.shape;
  const std::span<const int64_t> dims = module.shapes.dims(shape.input);
  std::vector<bool> is_folded(dims.size(), false);
  for (const int64_t dim : module.IntsOf(inst.attrs, AttrKey::k_dimensions)) {
    is_folded[static_cast<size_t>(dim)] = true;
    shape.folded *= dims[static_cast<size_t>(dim)];
  }
  int64_t number = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!is_folded[i]) shape.kept.push_back(number);
    ++number;
  }
  const std::vector<int64_t> order = MajorToMinor(module.shapes, shape.input);
  if (order.empty() || shape.folded <= 1) return shape;
  shape.is_column = !is_folded[static_cast<size_t>(order.back())];
  size_t at = 0;
  while (at < order.size() && !is_folded[static_cast<size_t>(order[at])]) ++at;
  const size_t first_folded = at;
  while (at < order.size() && is_folded[static_cast<size_t>(order[at])]) ++at;
  shape.is_row = at == order.size();
  // Results lie as the rows do.
  std::vector<int64_t> rows;
  for (size_t i = 0; i < first_folded; ++i) rows.push_back(order[i]);
  std::vector<int64_t> number_of(dims.size(), 0);
  for (size_t i = 0, next = 0; i < dims.size(); ++i) {
    if (!is_folded[i]) number_of[i] = static_cast<int64_t>(next++);
  }
  for (int64_t& row : rows) row = number_of[static_cast<size_t>(row)];
  if (shape.is_row) shape.is_row = rows == MajorToMinor(module.shapes, shape.result);
  return shape;
}

int64_t ElementsOf(const Module& module, InstId id) {
  ShapeId shape = module.inst(id).shape;
  if (module.shapes.is_tuple(shape)) {
    if (module.shapes.elements(shape).empty()) return 0;
    shape = module.shapes.elements(shape)[0];
  }
  if (!module.shapes.is_array(shape)) return 0;
  return module.shapes.ElementCount(shape).value_or(INT64_MAX);
}

}  // namespace halo
