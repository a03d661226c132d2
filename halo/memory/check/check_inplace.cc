// Pairs of operand and output that must share memory. For a fusion they are traced through its
// body: from the output back to the op that defines it, and from the operand which that op updates
// back to a parameter.
#include "halo/memory/check/check_inplace.h"

#include <utility>

#include "halo/ir/attributes/aliasing.h"
#include "halo/memory/check/check_storage.h"

namespace halo::check {
namespace {

// Limit on nested fusions visited for one instruction; beyond it they are assumed to share nothing.
constexpr int kMaxFusions = 500;
// Limit on steps through tuples and bitcasts.
constexpr int kMaxSteps = 10000;

struct Position {
  InstId inst;
  std::vector<int64_t> index;
};

Position TraceBack(const Module& module, Position position, CheckRules rules) {
  for (int step = 0; step < kMaxSteps && position.inst.valid(); ++step) {
    const Inst& inst = module.inst(position.inst);
    const std::span<const InstId> operands = module.operands_of(inst);
    if (operands.empty()) return position;
    if (inst.opcode == Opcode::kTuple && !position.index.empty()) {
      const int64_t k = position.index.front();
      if (k < 0 || static_cast<size_t>(k) >= operands.size()) return position;
      position.inst = operands[static_cast<size_t>(k)];
      position.index.erase(position.index.begin());
    } else if (inst.opcode == Opcode::kGetTupleElement) {
      position.index.insert(position.index.begin(), module.IntOr(inst.attrs, AttrKey::k_index, 0));
      position.inst = operands[0];
    } else if (position.index.empty() &&
               (inst.opcode == Opcode::kBitcast ||
                (inst.opcode == Opcode::kReshape && rules == CheckRules::kGpu))) {
      position.inst = operands[0];
    } else {
      return position;
    }
  }
  return position;
}

std::vector<InPlacePair> AttributePairs(const Module& module, const Inst& inst) {
  std::vector<InPlacePair> pairs;
  const auto list = module.IntsOf(inst.attrs, AttrKey::k_output_to_operand_aliasing);
  for (AliasEntry& entry : DecodeAliases(list)) {
    if (entry.number < 0 || entry.number >= static_cast<int64_t>(inst.operand_count)) continue;
    pairs.push_back({static_cast<uint32_t>(entry.number), std::move(entry.input_index),
                     std::move(entry.output_index)});
  }
  return pairs;
}

std::vector<InPlacePair> FirstOperands(uint32_t count) {
  if (count == 1) return {{0, {}, {}}};
  std::vector<InPlacePair> pairs;
  for (uint32_t i = 0; i < count; ++i) pairs.push_back({i, {}, {static_cast<int64_t>(i)}});
  return pairs;
}

std::vector<InPlacePair> InPlacePermute(const Module& module, const Inst& inst) {
  if (inst.operand_count != 4) return {};
  const bool start = inst.opcode == Opcode::kCollectivePermuteStart;
  const std::vector<int64_t> base = start ? std::vector<int64_t>{1} : std::vector<int64_t>{};
  const InstId written = module.operands_of(inst)[1];
  if (!written.valid()) return {};
  const ShapeId target = module.inst(written).shape;
  std::vector<InPlacePair> pairs{{1, {}, base}};
  if (!module.shapes.is_tuple(target)) return pairs;
  for (size_t i = 0; i < module.shapes.elements(target).size(); ++i) {
    std::vector<int64_t> out = base;
    out.push_back(static_cast<int64_t>(i));
    pairs.push_back({1, {static_cast<int64_t>(i)}, std::move(out)});
  }
  return pairs;
}

std::vector<InPlacePair> Pairs(const Module& module, const Inst& inst, CheckRules rules,
                               int& budget, bool with_attributes);

// The leaves of a shape as indices.
void Leaves(const Module& module, ShapeId shape, std::vector<std::vector<int64_t>>& out) {
  if (!module.shapes.is_tuple(shape)) {
    out.emplace_back();
    return;
  }
  const auto elements = module.shapes.elements(shape);
  for (size_t i = 0; i < elements.size(); ++i) {
    // Fusions return arrays or one tuple of arrays.
    if (!module.shapes.is_tuple(elements[i])) out.push_back({static_cast<int64_t>(i)});
  }
}

std::vector<InPlacePair> FusionPairs(const Module& module, const Inst& fusion, CheckRules rules,
                                     int& budget) {
  std::vector<InPlacePair> pairs;
  if (--budget < 0) return pairs;
  const CompId body = FusedComputation(module, fusion);
  if (!body.valid() || !module.comp(body).root.valid()) return pairs;
  std::vector<std::vector<int64_t>> leaves;
  Leaves(module, fusion.shape, leaves);
  for (const std::vector<int64_t>& leaf : leaves) {
    const Position source = TraceBack(module, {module.comp(body).root, leaf}, rules);
    if (!source.inst.valid()) continue;
    const Inst& maker = module.inst(source.inst);
    for (const InPlacePair& pair : Pairs(module, maker, rules, budget, false)) {
      if (pair.output_index != source.index) continue;
      Position input =
          TraceBack(module, {module.operands_of(maker)[pair.operand], pair.operand_index}, rules);
      if (input.inst.valid() && module.inst(input.inst).opcode == Opcode::kFusion) {
        const Inst& nested = module.inst(input.inst);
        for (const InPlacePair& through : Pairs(module, nested, rules, budget, true)) {
          if (through.output_index != input.index) continue;
          input = TraceBack(
              module, {module.operands_of(nested)[through.operand], through.operand_index}, rules);
          break;
        }
      }
      if (!input.inst.valid()) continue;
      const Inst& parameter = module.inst(input.inst);
      if (parameter.opcode == Opcode::kParameter && parameter.extra < fusion.operand_count) {
        pairs.push_back({parameter.extra, input.index, leaf});
      }
    }
  }
  return pairs;
}

std::vector<InPlacePair> Pairs(const Module& module, const Inst& inst, CheckRules rules,
                               int& budget, bool with_attributes) {
  switch (inst.opcode) {
    case Opcode::kDynamicUpdateSlice:
      return inst.operand_count > 0 ? FirstOperands(1) : std::vector<InPlacePair>{};
    case Opcode::kScatter:
      // n operands, one index array, n updates.
      return inst.operand_count >= 3 ? FirstOperands((inst.operand_count - 1) / 2)
                                     : std::vector<InPlacePair>{};
    case Opcode::kAllReduceStart:
      return inst.operand_count > 0 ? FirstOperands(inst.operand_count)
                                    : std::vector<InPlacePair>{};
    case Opcode::kSetDimensionSize:
      return inst.operand_count > 0 ? FirstOperands(1) : std::vector<InPlacePair>{};
    case Opcode::kRaggedAllToAll:
      return inst.operand_count > 1 ? std::vector<InPlacePair>{{1, {}, {}}}
                                    : std::vector<InPlacePair>{};
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
      return module.Find(inst, AttrKey::k_slice_sizes) != nullptr ? InPlacePermute(module, inst)
                                                                  : std::vector<InPlacePair>{};
    case Opcode::kCustomCall:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate: return AttributePairs(module, inst);
    case Opcode::kFusion: {
      std::vector<InPlacePair> pairs = FusionPairs(module, inst, rules, budget);
      if (with_attributes) {
        for (InPlacePair& pair : AttributePairs(module, inst)) pairs.push_back(std::move(pair));
      }
      return pairs;
    }
    default: return {};
  }
}

}  // namespace

CompId FusedComputation(const Module& module, const Inst& fusion) {
  const std::vector<CompId> called = CalledComps(module, fusion);
  return called.empty() ? CompId() : called[0];
}

std::vector<InPlacePair> MustShare(const Module& module, const Inst& inst, CheckRules rules) {
  int budget = kMaxFusions;
  return Pairs(module, inst, rules, budget, true);
}

}  // namespace halo::check
