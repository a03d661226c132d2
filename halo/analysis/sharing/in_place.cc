// In post-order, fused computations come before the fusions that call them, so a nested fusion is
// already known when it is queried.
#include "halo/analysis/sharing/in_place.h"

#include <algorithm>

#include "halo/analysis/sharing/elementwise_use.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/op_properties.h"

namespace halo {

InPlacePairs::InPlacePairs(const Dataflow& flow, const SharingRules& rules)
    : flow_(flow), module_(flow.module()), rules_(rules) {
  const size_t count = module_.insts.size();
  for (const InstId inst : flow.post_order()) {
    std::vector<InPlacePair> found = Find(inst);
    if (!found.empty()) known_[inst.value] = std::move(found);
  }
  begins_.assign(count + 1, 0);
  for (size_t i = 0; i < count; ++i) {
    if (const auto known = known_.find(static_cast<uint32_t>(i)); known != known_.end()) {
      pairs_.insert(pairs_.end(), known->second.begin(), known->second.end());
    }
    begins_[i + 1] = static_cast<uint32_t>(pairs_.size());
  }
  known_.clear();
  fused_.clear();
}

std::vector<InPlacePair> InPlacePairs::FindInside(InstId id, bool body_only) {
  if (module_.inst(id).opcode != Opcode::kFusion) return Find(id);
  const auto& table = body_only ? fused_ : known_;
  const auto found = table.find(id.value);
  return found == table.end() ? std::vector<InPlacePair>{} : found->second;
}

std::vector<InPlacePair> InPlacePairs::Find(InstId id) {
  found_.clear();
  const Inst& inst = module_.inst(id);
  switch (PropertiesOf(inst.opcode).in_place) {
    case InPlaceRule::kNone: break;
    case InPlaceRule::kLeaves: AddDefault(id); break;
    case InPlaceRule::kFirst: found_.push_back({0, 0, 0}); break;
    case InPlaceRule::kSecond: found_.push_back({1, 0, 0}); break;
    case InPlaceRule::kPermuteTarget: {
      if (inst.operand_count != 4 || module_.Find(inst, AttrKey::k_slice_sizes) == nullptr) break;
      uint32_t result = 0;
      if (inst.opcode == Opcode::kCollectivePermuteStart) {
        const auto child = flow_.trees().Child(inst.shape, 1);
        if (!child) break;
        result = *child;
      }
      const InstId target = module_.operands_of(inst)[1];
      const uint32_t nodes = flow_.trees().count(module_.inst(target).shape);
      for (uint32_t node = 0; node < nodes; ++node) found_.push_back({1, node, result + node});
      break;
    }
    case InPlaceRule::kFused:
      AddFused(id);
      if (!found_.empty()) fused_[id.value] = found_;
      AddStated(id);
      break;
    case InPlaceRule::kStated: AddStated(id); break;
    case InPlaceRule::kWrapped: AddAsync(id); break;
  }
  // Pairs whose positions do not exist are ignored.
  std::erase_if(found_, [&](const InPlacePair& pair) {
    if (pair.operand >= inst.operand_count) return true;
    const InstId operand = module_.operands_of(inst)[pair.operand];
    return !operand.valid() ||
           pair.operand_node >= flow_.trees().count(module_.inst(operand).shape) ||
           pair.result_node >= flow_.trees().count(inst.shape);
  });
  return found_;
}

void InPlacePairs::AddDefault(InstId id) {
  const Inst& inst = module_.inst(id);
  uint32_t count = inst.operand_count;
  if (inst.opcode == Opcode::kScatter) count = count > 0 ? (count - 1) / 2 : 0;
  if (inst.opcode == Opcode::kDynamicUpdateSlice) count = 1;
  if (count == 1) {
    found_.push_back({0, 0, 0});
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (const auto node = flow_.trees().Child(inst.shape, i)) found_.push_back({i, 0, *node});
  }
}

void InPlacePairs::AddStated(InstId id) {
  const Inst& inst = module_.inst(id);
  const Attr* stated = module_.Find(inst, AttrKey::k_output_to_operand_aliasing);
  if (stated == nullptr) return;
  const std::span<const InstId> operands = module_.operands_of(inst);
  for (const AliasEntry& entry : DecodeAliases(module_.list(stated->value))) {
    if (entry.number < 0 || static_cast<size_t>(entry.number) >= operands.size()) continue;
    const InstId operand = operands[static_cast<size_t>(entry.number)];
    if (!operand.valid()) continue;
    const auto from = flow_.trees().NodeAt(module_.inst(operand).shape, entry.input_index);
    const auto to = flow_.trees().NodeAt(inst.shape, entry.output_index);
    if (from && to) found_.push_back({static_cast<uint32_t>(entry.number), *from, *to});
  }
}

void InPlacePairs::AddAsync(InstId id) {
  // The start's aliasing also holds for the result of the done, whose operand carries the
  // arguments.
  InstId start = id;
  for (uint32_t links = 0; links < 1000; ++links) {
    const Inst& inst = module_.inst(start);
    if (inst.opcode == Opcode::kAsyncStart) break;
    if (inst.operand_count == 0 || !module_.operands_of(inst)[0].valid()) return;
    start = module_.operands_of(inst)[0];
  }
  const Inst& inst = module_.inst(start);
  if (inst.opcode != Opcode::kAsyncStart) return;
  const Attr* stated = module_.Find(inst, AttrKey::k_output_to_operand_aliasing);
  if (stated == nullptr) return;
  const Inst& done = module_.inst(id);
  const ShapeId chain = module_.inst(module_.operands_of(done)[0]).shape;
  for (const AliasEntry& entry : DecodeAliases(module_.list(stated->value))) {
    if (entry.output_index.empty() || entry.output_index[0] != 1) continue;
    std::vector<int64_t> argument = {0, entry.number};
    argument.insert(argument.end(), entry.input_index.begin(), entry.input_index.end());
    const auto from = flow_.trees().NodeAt(chain, argument);
    const auto to = flow_.trees().NodeAt(done.shape, std::span(entry.output_index).subspan(1));
    if (from && to) found_.push_back({0, *from, *to});
  }
}

Position InPlacePairs::Source(Position position) const {
  const auto operand = [&](size_t i) {
    const std::span<const InstId> operands = module_.operands_of(module_.inst(position.inst));
    return i < operands.size() ? operands[i] : InstId();
  };
  // Each step goes to an operand, so there are no more steps than instructions.
  for (size_t steps = 0; steps < module_.insts.size(); ++steps) {
    const Inst& inst = module_.inst(position.inst);
    if (inst.opcode != Opcode::kTuple || position.node == 0) break;
    const int64_t element = flow_.trees().FirstStep(inst.shape, position.node);
    const InstId next = operand(static_cast<size_t>(element));
    const auto child = flow_.trees().Child(inst.shape, element);
    if (!next.valid() || !child) break;
    position = {next, position.node - *child};
  }
  for (size_t steps = 0; steps < module_.insts.size(); ++steps) {
    const Inst& inst = module_.inst(position.inst);
    if (inst.opcode != Opcode::kGetTupleElement) break;
    const InstId next = operand(0);
    if (!next.valid()) break;
    const auto child = flow_.trees().Child(module_.inst(next).shape,
                                           module_.IntOr(inst.attrs, AttrKey::k_index, -1));
    if (!child) break;
    position = {next, position.node + *child};
  }
  if (!rules_.follows_bitcasts) return position;
  for (size_t steps = 0; steps < module_.insts.size() && position.node == 0; ++steps) {
    const Opcode opcode = module_.inst(position.inst).opcode;
    const bool does_nothing =
        opcode == Opcode::kBitcast || (rules_.reshape_is_bitcast && opcode == Opcode::kReshape);
    const InstId next = operand(0);
    if (!does_nothing || !next.valid()) break;
    position = {next, 0};
  }
  return position;
}

void InPlacePairs::AddFused(InstId id) {
  const Inst& fusion = module_.inst(id);
  const CompId comp = FusedComputation(module_, fusion);
  if (!comp.valid() || !module_.comp(comp).root.valid()) return;
  const InstId root = module_.comp(comp).root;
  const uint32_t nodes = flow_.trees().count(fusion.shape);
  if (nodes != flow_.trees().count(module_.inst(root).shape)) return;
  std::vector<InPlacePair> pairs;
  for (uint32_t node = 0; node < nodes; ++node) {
    if (module_.shapes.is_tuple(flow_.trees().shape_at(fusion.shape, node))) continue;
    const Position output = Source({root, node});
    const Inst& writer = module_.inst(output.inst);
    // For a nested fusion, only the pairs found in its body count.
    for (const InPlacePair& pair : FindInside(output.inst, /*body_only=*/true)) {
      if (pair.result_node != output.node) continue;
      Position input = Source({module_.operands_of(writer)[pair.operand], pair.operand_node});
      const Inst& source = module_.inst(input.inst);
      if (source.opcode == Opcode::kFusion) {
        for (const InPlacePair& inner : FindInside(input.inst, /*body_only=*/false)) {
          if (inner.result_node != input.node) continue;
          input = Source({module_.operands_of(source)[inner.operand], inner.operand_node});
          break;
        }
      }
      if (module_.inst(input.inst).opcode == Opcode::kParameter) {
        pairs.push_back({module_.inst(input.inst).extra, input.node, node});
      }
      break;
    }
  }
  found_ = std::move(pairs);
}

}  // namespace halo
