// What the GPU backend adds: its fusions may overwrite an operand that they read in the order in
// which they write, and cublasLt may accumulate into its bias.
#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_set>

#include "halo/analysis/sharing/can_share.h"
#include "halo/analysis/sharing/elementwise_use.h"

namespace halo {
namespace {

// The reduction at the end of a chain of one-operand ops; invalid if there is none.
InstId ReductionBehind(const Dataflow& flow, InstId root) {
  const Module& module = flow.module();
  InstId at = root;
  for (size_t steps = 0; steps < module.insts.size() && at.valid(); ++steps) {
    const Inst& inst = module.inst(at);
    if (inst.opcode == Opcode::kReduce) return at;
    const bool goes_on = inst.operand_count == 1 && inst.opcode != Opcode::kCopy &&
                         (inst.opcode == Opcode::kBitcast || HasTrait(inst.opcode, kElementwise));
    if (!goes_on) return {};
    at = module.operands_of(inst)[0];
  }
  return {};
}

bool IsScalarLike(const Module& module, ShapeId shape) {
  const auto count = module.shapes.ElementCount(shape);
  return count && *count == 1;
}

// True for a transpose, or a copy that changes the layout, behind one-operand ops: it determines
// the order in which such an output is written.
bool HasTransposeBehind(const Dataflow& flow, InstId root) {
  const Module& module = flow.module();
  InstId at = root;
  for (size_t steps = 0; steps < module.insts.size() && at.valid(); ++steps) {
    const Inst& inst = module.inst(at);
    if (inst.opcode == Opcode::kTranspose || inst.opcode == Opcode::kCopy) return true;
    if (inst.operand_count != 1 ||
        !(inst.opcode == Opcode::kBitcast || HasTrait(inst.opcode, kElementwise))) {
      return false;
    }
    at = module.operands_of(inst)[0];
  }
  return false;
}

}  // namespace

bool CanShare::FusionOnGpu(Position operand, Position result) const {
  const Inst& fusion = module_.inst(result.inst);
  const ShapeId from = module_.inst(operand.inst).shape;
  const ShapeId to = ShapeAt(result);
  if (from != to) {
    if (!module_.shapes.is_array(from) || !module_.shapes.is_array(to)) return false;
    if (module_.shapes.ElementCount(from) != module_.shapes.ElementCount(to)) return false;
    if (InfoOf(module_.shapes.type(from)).bits != InfoOf(module_.shapes.type(to)).bits) {
      return false;
    }
  }
  const CompId comp = FusedComputation(module_, fusion);
  const InstId parameter =
      FusedParameter(module_, fusion, OperandNumber(module_, result.inst, operand.inst));
  if (!parameter.valid() || !module_.comp(comp).root.valid()) return false;
  const InstId root = module_.comp(comp).root;
  std::vector<InstId> roots = {root};
  if (module_.inst(root).opcode == Opcode::kTuple) {
    const std::span<const InstId> operands = module_.operands_of(module_.inst(root));
    roots.assign(operands.begin(), operands.end());
  }
  InstId output = root;
  std::vector<int64_t> index;
  flow_.trees().Path(fusion.shape, result.node, index);
  for (const int64_t step : index) {
    const Inst& inst = module_.inst(output);
    if (inst.opcode != Opcode::kTuple || static_cast<size_t>(step) >= inst.operand_count) break;
    output = module_.operands_of(inst)[static_cast<size_t>(step)];
  }
  InstId writer = output;
  if (module_.inst(writer).opcode == Opcode::kBitcast && module_.inst(writer).operand_count == 1) {
    writer = module_.operands_of(module_.inst(writer))[0];
  }
  // Reductions are computed before other results are written, so their operands do not matter.
  InstId reduction;
  if (module_.TextOr(fusion.attrs, AttrKey::k_kind) == "kInput") {
    for (const InstId each : roots) {
      reduction = ReductionBehind(flow_, each);
      if (reduction.valid()) break;
    }
  }
  const Inst& writes = module_.inst(writer);
  const auto writes_same_slice = [&](InstId slice) {
    const Inst& inst = module_.inst(slice);
    if (writes.opcode != Opcode::kDynamicUpdateSlice || inst.opcode != Opcode::kDynamicSlice ||
        writes.operand_count < 2 || inst.operand_count < 1) {
      return false;
    }
    const std::span<const InstId> target = module_.operands_of(writes);
    return target[0] == module_.operands_of(inst)[0] && module_.inst(target[1]).shape == inst.shape;
  };
  std::vector<InstId> queue = {parameter};
  std::unordered_set<uint32_t> seen = {parameter.value};
  bool reaches_output = false;
  for (size_t i = 0; i < queue.size(); ++i) {
    const InstId at = queue[i];
    if (at == output) reaches_output = true;
    if (at == reduction) continue;
    for (const InstId user : flow_.users().of(at)) {
      const Inst& inst = module_.inst(user);
      if (seen.insert(user.value).second) queue.push_back(user);
      const size_t number = OperandNumber(module_, user, at);
      if (user == writer && inst.opcode == Opcode::kScatter) {
        const size_t inputs =
            module_.shapes.is_tuple(inst.shape) ? module_.shapes.elements(inst.shape).size() : 1;
        if (number < inputs && OperandCount(module_, user, at) == 1) continue;
      }
      if (user == writer && inst.opcode == Opcode::kSort && OperandCount(module_, user, at) == 1) {
        if (index.size() != 1 || index[0] != static_cast<int64_t>(number)) return false;
        continue;
      }
      if (writes_same_slice(user)) {
        if (IsScalarLike(module_, inst.shape)) continue;
        const std::span<const InstId> read = module_.operands_of(inst);
        const std::span<const InstId> written = module_.operands_of(writes);
        for (size_t k = 1; k < read.size(); ++k) {
          if (k + 1 >= written.size() || read[k] != written[k + 1]) return false;
        }
        continue;
      }
      const bool in_order = IsElementwiseOn(flow_, user, number) && inst.opcode != Opcode::kCopy;
      if (in_order || inst.opcode == Opcode::kBitcast || inst.opcode == Opcode::kTuple ||
          user == reduction) {
        continue;
      }
      if (user != writer || inst.opcode != Opcode::kDynamicUpdateSlice || number != 1) return false;
    }
  }
  if (roots.size() > 1) {
    bool reaches_other = false, is_reordered = false;
    for (const InstId each : roots) {
      if (!seen.contains(each.value)) continue;
      reaches_other |= each != output;
      is_reordered |= HasTransposeBehind(flow_, each);
    }
    if (reaches_other && (!IsElementwise(flow_, writer) || is_reordered)) return false;
  }
  return reaches_output;
}

bool CanShare::LtMatmulBias(Position operand, Position result) const {
  const Inst& call = module_.inst(result.inst);
  if (module_.TextOr(call.attrs, AttrKey::k_custom_call_target) != "__cublas$lt$matmul") {
    return false;
  }
  const std::string_view config = module_.TextOr(call.attrs, AttrKey::k_backend_config);
  constexpr std::string_view kBeta = "\"beta\":";
  const size_t at = config.find(kBeta);
  double beta = 0;
  if (at != std::string_view::npos) {
    const char* begin = config.data() + at + kBeta.size();
    const char* end = config.data() + config.size();
    while (begin < end && (*begin == ' ' || *begin == '"')) ++begin;
    std::from_chars(begin, end, beta);
  }
  const auto first = flow_.trees().Child(call.shape, 0);
  return beta != 0 && call.operand_count > 2 && operand.inst == module_.operands_of(call)[2] &&
         OperandCount(module_, result.inst, operand.inst) == 1 && first && *first == result.node;
}

}  // namespace halo
