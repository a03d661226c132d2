// Collectives: most keep shapes; gathers multiply a dimension by the axes of a group, scatters
// divide by them. Custom calls go on to relate_calls.cc.
#include "halo/ir/op_properties.h"
#include "halo/shrink/relations/relations.h"

namespace halo {

// `whole` is `part` as often as a group has members, along the op's dimension.
void Relations::Gathered(InstId id, Dims part, Dims whole) {
  const auto along = ints(id, AttrKey::k_dimensions);
  if (along.size() != 1 || part.size() != whole.size()) return;
  const auto dim = static_cast<size_t>(along[0]);
  if (dim >= part.size()) return;
  for (size_t i = 0; i < part.size(); ++i) {
    if (i != dim) space_.Unify(part[i], whole[i], id);
  }
  std::vector<DimId> factors = devices_.GroupAxes(id);
  int64_t members = 1;
  for (const DimId axis : factors) members *= space_.size(axis);
  if (space_.size(part[dim]) * members != space_.size(whole[dim])) {
    space_.Pin(part[dim], id, "is gathered unevenly");
    space_.Pin(whole[dim], id, "is gathered unevenly");
    return;
  }
  factors.push_back(part[dim]);
  space_.UnifyProducts({&whole[dim], 1}, factors, id);
}

bool Relations::RelateCollective(InstId id) {
  const Inst& op = inst(id);
  const size_t count = operand_count(id);
  // A start's result holds its operands, then its results; several of each are tuples.
  const auto started = [&](int64_t part, size_t i) {
    const auto n = static_cast<int64_t>(i);
    return dims_.element(id,
                         count == 1 ? std::vector<int64_t>{part} : std::vector<int64_t>{part, n});
  };
  if (op.opcode == Opcode::kCustomCall) {
    RelateCustomCall(id);
    return true;
  }
  switch (FlowOf(op.opcode)) {
    case OpFlow::kGatherStart:
      for (size_t i = 0; i < count; ++i) {
        Same(operand_dims(id, i), started(0, i), id);
        Gathered(id, operand_dims(id, i), started(1, i));
      }
      return true;
    case OpFlow::kPermuteStart:
      for (size_t i = 0; i < count; ++i) {
        Same(operand_dims(id, i), started(0, i), id);
        Same(operand_dims(id, i), started(1, i), id);
      }
      return true;
    default: break;
  }
  switch (PropertiesOf(op.opcode).group) {
    case CollectiveFamily::kAllReduce:
    case CollectiveFamily::kBroadcast:
    case CollectiveFamily::kReduce:
    case CollectiveFamily::kPermute:
      if (module_.Find(op, AttrKey::k_replica_groups) != nullptr) devices_.GroupAxes(id);
      for (size_t i = 0; i < count; ++i) {
        Same(
            operand_dims(id, i),
            module_.shapes.is_tuple(op.shape) ? dims_.element(id, static_cast<int64_t>(i)) : of(id),
            id);
      }
      return true;
    case CollectiveFamily::kAllGather:
    case CollectiveFamily::kReduceScatter:
      for (size_t i = 0; i < count; ++i) {
        const Dims result = count == 1 ? of(id) : dims_.element(id, static_cast<int64_t>(i));
        if (op.opcode == Opcode::kAllGather) {
          Gathered(id, operand_dims(id, i), result);
        } else {
          Gathered(id, result, operand_dims(id, i));
        }
      }
      return true;
    case CollectiveFamily::kAllToAll: {
      const auto along = ints(id, AttrKey::k_dimensions);
      if (along.size() == 1 && count == 1) {
        Same(operand_dims(id, 0), of(id), id);
        const DimId dim = of(id)[static_cast<size_t>(along[0])];
        std::vector<DimId> factors = devices_.GroupAxes(id);
        int64_t members = 1;
        for (const DimId axis : factors) members *= space_.size(axis);
        if (members > 0 && space_.size(dim) % members == 0) {
          factors.push_back(space_.Make(space_.size(dim) / members));
          space_.UnifyProducts({&dim, 1}, factors, id);
        }
        return true;
      }
      // One operand per member: the group cannot get smaller.
      for (const DimId axis : devices_.GroupAxes(id)) {
        space_.Pin(axis, id, "it has an operand for each device");
      }
      for (size_t i = 0; i < count; ++i) {
        Same(operand_dims(id, i), dims_.element(id, static_cast<int64_t>(i)), id);
        Same(operand_dims(id, i), operand_dims(id, 0), id);
      }
      return true;
    }
    case CollectiveFamily::kRaggedAllToAll:
      devices_.GroupAxes(id);
      Same(operand_dims(id, 1), of(id), id);
      PinDims(operand_dims(id, 0).first(operand_dims(id, 0).empty() ? 0 : 1), id,
              "its rows are counted by offsets");
      PinDims(of(id).first(of(id).empty() ? 0 : 1), id, "its rows are counted by offsets");
      for (size_t i = 2; i < count; ++i) PinDims(operand_dims(id, i), id, "it counts devices");
      if (operand_dims(id, 0).size() == of(id).size() && !of(id).empty()) {
        Same(operand_dims(id, 0).subspan(1), of(id).subspan(1), id);
      }
      return true;
    case CollectiveFamily::kNone: return false;
  }
  return false;
}

}  // namespace halo
