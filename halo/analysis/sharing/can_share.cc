// The rules that hold on every backend; the GPU's are in can_share_gpu.cc.
#include "halo/analysis/sharing/can_share.h"

#include <unordered_set>

#include "halo/analysis/sharing/elementwise_use.h"

namespace halo {

bool CanShare::operator()(Position operand, Position result) const {
  const Inst& user = module_.inst(result.inst);
  if (module_.inst(operand.inst).opcode == Opcode::kConstant || Never(result.inst)) return false;
  // Shapes are interned, so equal shapes with equal layouts have one id.
  const bool same_shape = ShapeAt(operand) == ShapeAt(result);
  if (same_shape) {
    const FlowId value = flow_.at(operand);
    for (const InPlacePair& pair : in_place_.of(result.inst)) {
      if (pair.result_node == result.node &&
          flow_.at(module_.operands_of(user)[pair.operand], pair.operand_node) == value) {
        return true;
      }
    }
  }
  if (const std::optional<bool> hint = Hint(operand, result)) return *hint;
  if (!same_shape) return false;
  switch (user.opcode) {
    case Opcode::kFusion: return IntoFusion(operand, result);
    case Opcode::kWhile:
    case Opcode::kConditional: return true;
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kScatter:
    case Opcode::kSetDimensionSize:
    case Opcode::kTriangularSolve:
      return OperandCount(module_, result.inst, operand.inst) == 1 &&
             OperandNumber(module_, result.inst, operand.inst) ==
                 (user.opcode == Opcode::kTriangularSolve ? 1u : 0u);
    case Opcode::kSort: {
      if (flow_.users().of(operand.inst).size() != 1) return false;
      if (user.operand_count == 1) return true;
      if (result.node == 0 || OperandCount(module_, result.inst, operand.inst) != 1) return false;
      const auto number = static_cast<int64_t>(OperandNumber(module_, result.inst, operand.inst));
      return flow_.trees().FirstStep(user.shape, result.node) == number;
    }
    case Opcode::kCall: return IntoCall(operand, result.inst);
    default:
      return IsElementwiseOn(flow_, result.inst, OperandNumber(module_, result.inst, operand.inst));
  }
}

bool CanShare::Never(InstId inst) const {
  // An ordinary library call is the instruction that may have many operands and many results.
  return module_.inst(inst).opcode == Opcode::kCustomCall && !rules_.matmul_adds_to_bias &&
         in_place_.of(inst).empty();
}

bool CanShare::OnlyElementwiseUses(InstId parameter) const {
  const auto [known, is_new] = only_elementwise_.try_emplace(parameter.value, false);
  if (is_new) known->second = FindOnlyElementwiseUses(parameter);
  return known->second;
}

bool CanShare::FindOnlyElementwiseUses(InstId parameter) const {
  std::vector<InstId> work = {parameter};
  std::unordered_set<uint32_t> seen = {parameter.value};
  while (!work.empty()) {
    const InstId at = work.back();
    work.pop_back();
    for (const InstId user : flow_.users().of(at)) {
      const Inst& inst = module_.inst(user);
      const std::span<const InstId> operands = module_.operands_of(inst);
      for (size_t i = 0; i < operands.size(); ++i) {
        if (operands[i] != at || inst.opcode == Opcode::kTuple) continue;
        if (!IsElementwiseOn(flow_, user, i)) return false;
      }
      if (seen.insert(user.value).second) work.push_back(user);
    }
  }
  return true;
}

bool CanShare::IntoFusion(Position operand, Position result) const {
  const Inst& fusion = module_.inst(result.inst);
  const size_t number = OperandNumber(module_, result.inst, operand.inst);
  const InstId parameter = FusedParameter(module_, fusion, number);
  if (!parameter.valid()) return false;
  const std::string_view kind = module_.TextOr(fusion.attrs, AttrKey::k_kind);
  if (kind == "kLoop" || kind == "kInput") return OnlyElementwiseUses(parameter);
  const InstId root = module_.comp(FusedComputation(module_, fusion)).root;
  if (kind == "kOutput" && root.valid() && module_.inst(root).opcode == Opcode::kAdd &&
      module_.inst(root).operand_count == 2) {
    // The sum of a product and another addend may be accumulated into the other addend.
    const std::span<const InstId> addends = module_.operands_of(module_.inst(root));
    size_t product = 0;
    for (; product < 2; ++product) {
      const Opcode opcode = module_.inst(addends[product]).opcode;
      if (opcode == Opcode::kConvolution || opcode == Opcode::kDot) break;
    }
    if (product == 2) return false;
    int64_t uses = 0;
    bool is_other_addend = false;
    flow_.ForEachUse(flow_.at(parameter), [&](InstId user, int64_t use_operand, uint32_t) {
      ++uses;
      is_other_addend = user == root && use_operand == static_cast<int64_t>(1 - product);
    });
    return uses == 1 && is_other_addend;
  }
  return IsElementwiseOn(flow_, result.inst, number);
}

bool CanShare::IntoCall(Position operand, InstId call) const {
  const Attr* callee = module_.Find(module_.inst(call), AttrKey::k_to_apply);
  if (callee == nullptr) return false;
  const InstId root = module_.comp(CompId(callee->value)).root;
  int64_t uses = 0;
  bool by_call = false, by_root = false;
  flow_.ForEachUse(flow_.at(operand), [&](InstId user, int64_t number, uint32_t) {
    ++uses;
    by_call |= user == call;
    by_root |= user == root && IsElementwiseOn(flow_, root, static_cast<size_t>(number));
  });
  return uses == 2 && by_call && by_root;
}

std::optional<bool> CanShare::Hint(Position operand, Position result) const {
  const Inst& user = module_.inst(result.inst);
  switch (user.opcode) {
    case Opcode::kPower: return rules_.power_keeps_operands ? std::optional(false) : std::nullopt;
    case Opcode::kAllReduce:
    case Opcode::kCollectiveBroadcast: {
      if (!rules_.collectives_overwrite) return std::nullopt;
      if (user.operand_count == 1) return true;
      if (result.node == 0) return false;
      const auto number = static_cast<size_t>(flow_.trees().FirstStep(user.shape, result.node));
      const std::span<const InstId> operands = module_.operands_of(user);
      return number < operands.size() && operands[number] == operand.inst &&
             flow_.trees().Child(user.shape, static_cast<int64_t>(number)) == result.node;
    }
    case Opcode::kCustomCall:
      if (!rules_.matmul_adds_to_bias) return std::nullopt;
      return LtMatmulBias(operand, result);
    case Opcode::kFusion:
      if (!rules_.fusions_overwrite_in_order) return std::nullopt;
      return FusionOnGpu(operand, result);
    default: return std::nullopt;
  }
}

}  // namespace halo
