// Points are the edges of a graph of values. Values that share a buffer are connected.
#include "halo/passes/memory/alias_points.h"

#include <algorithm>

#include "halo/semantics/facts/parameters.h"

namespace halo {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

CompId CompOf(const Module& module, const Inst& inst, AttrKey key) {
  const Attr* attr = module.Find(inst, key);
  return attr == nullptr ? CompId() : CompId(attr->value);
}

}  // namespace

Position PositionOf(const Module& module, const ReadSlot& slot) {
  if (!slot.user.valid()) return {module.comp(slot.comp).root, slot.node};
  return {module.operands_of(module.inst(slot.user))[slot.operand], slot.node};
}

std::vector<AliasEntry> ModuleAliases(const Module& module) {
  const Attr* attr = module.Find(module.attrs, AttrKey::k_input_output_alias);
  return attr == nullptr ? std::vector<AliasEntry>{} : DecodeAliases(module.list(attr->value));
}

std::vector<uint32_t> LoopDepths(const Module& module, const CallGraph& calls) {
  std::vector<uint32_t> depths(module.comps.size(), 0);
  const std::vector<CompId>& order = calls.post_order();
  for (size_t i = order.size(); i-- > 0;) {
    for (const InstId caller : calls.callers(order[i])) {
      const Inst& inst = module.inst(caller);
      const uint32_t depth = depths[inst.parent.index()] + (inst.opcode == Opcode::kWhile ? 1 : 0);
      depths[order[i].index()] = std::max(depths[order[i].index()], depth);
    }
  }
  return depths;
}

AliasPoints::AliasPoints(const Dataflow& flow, const SameValues& same, const InPlacePairs& in_place,
                         std::span<const AliasEntry> aliases)
    : flow_(flow), same_(same), module_(flow.module()), depths_(LoopDepths(module_, flow.calls())) {
  for (const CompId comp : flow.calls().post_order()) {
    if (flow.calls().context(comp) == CallGraph::Context::kEmbedded) continue;
    const Computation& computation = module_.comp(comp);
    for (uint32_t i = 0; i < computation.count; ++i) {
      const InstId id(computation.first + i);
      if (module_.inst(id).opcode == Opcode::kWhile) AddLoop(id);
      if (module_.inst(id).opcode == Opcode::kConditional) AddConditional(id);
      AddInPlace(id, in_place);
    }
  }
  AddResults(aliases);
  cut_.assign(points_.size(), false);
  reached_by_.assign(flow.size(), kNone);
  Index();
}

void AliasPoints::Add(FlowId from, FlowId to, const ReadSlot& slot, bool fixed) {
  if (!from.valid() || !to.valid() || from == to) return;
  if (!module_.shapes.is_array(flow_.shape_of(from))) return;
  if (!fixed) by_slot_.emplace(slot, static_cast<uint32_t>(points_.size()));
  points_.push_back({from, to, slot, depths_[slot.comp.index()], fixed});
}

void AliasPoints::AddLoop(InstId loop) {
  const Inst& inst = module_.inst(loop);
  const CompId body = CompOf(module_, inst, AttrKey::k_body);
  const InstId in_body = FirstParameter(module_, body);
  const InstId in_condition = FirstParameter(module_, CompOf(module_, inst, AttrKey::k_condition));
  if (!in_body.valid() || !in_condition.valid() || inst.operand_count != 1) return;
  const InstId init = module_.operands_of(inst)[0];
  const InstId root = module_.comp(body).root;
  for (uint32_t node = 0; node < flow_.trees().count(inst.shape); ++node) {
    const FlowId carried = same_.at(in_body, node);
    Add(same_.at(loop, node), carried, {loop, 0, node, inst.parent}, /*fixed=*/true);
    Add(same_.at(in_condition, node), carried, {loop, 0, node, inst.parent}, /*fixed=*/true);
    Add(same_.at(init, node), carried, {loop, 0, node, inst.parent});
    Add(same_.at(root, node), carried, {InstId(), 0, node, body});
  }
}

void AliasPoints::AddConditional(InstId conditional) {
  std::vector<CompId> branches;
  module_.CalledBy(module_.inst(conditional), branches);
  for (const CompId branch : branches) {
    const InstId root = module_.comp(branch).root;
    for (uint32_t node = 0; node < flow_.trees().count(module_.inst(root).shape); ++node) {
      Add(same_.at(root, node), same_.at(conditional, node), {InstId(), 0, node, branch});
    }
  }
}

void AliasPoints::AddInPlace(InstId inst, const InPlacePairs& in_place) {
  for (const InPlacePair& pair : in_place.of(inst)) {
    const InstId operand = module_.operands_of(module_.inst(inst))[pair.operand];
    Add(same_.at(operand, pair.operand_node), same_.at(inst, pair.result_node),
        {inst, pair.operand, pair.operand_node, module_.inst(inst).parent});
  }
}

void AliasPoints::AddResults(std::span<const AliasEntry> aliases) {
  const Computation& entry = module_.comp(module_.entry);
  const std::vector<InstId> parameters = ParametersOf(module_, module_.entry);
  for (const AliasEntry& alias : aliases) {
    const auto number = static_cast<size_t>(alias.number);
    if (alias.number < 0 || number >= parameters.size() || !parameters[number].valid()) continue;
    const InstId parameter = parameters[number];
    const auto from = flow_.trees().NodeAt(module_.inst(parameter).shape, alias.input_index);
    const auto to = flow_.trees().NodeAt(module_.inst(entry.root).shape, alias.output_index);
    if (!from || !to) continue;
    Add(same_.at(entry.root, *to), same_.at(parameter, *from), {InstId(), 0, *to, module_.entry});
  }
}

void AliasPoints::Index() {
  begins_.assign(flow_.size() + 1, 0);
  for (const AliasPoint& point : points_) {
    ++begins_[point.from.index() + 1];
    ++begins_[point.to.index() + 1];
  }
  for (size_t i = 0; i < flow_.size(); ++i) begins_[i + 1] += begins_[i];
  ends_of_.resize(begins_.back());
  std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (uint32_t i = 0; i < points_.size(); ++i) {
    ends_of_[next[points_[i].from.index()]++] = i;
    ends_of_[next[points_[i].to.index()]++] = i;
  }
}

std::vector<uint32_t> AliasPoints::Way(FlowId from, FlowId to) {
  const auto other_end = [&](uint32_t point, FlowId end) {
    return points_[point].from == end ? points_[point].to : points_[point].from;
  };
  std::vector<FlowId> reached = {from};
  std::vector<uint32_t> way;
  for (size_t next = 0; next < reached.size() && way.empty(); ++next) {
    const FlowId at = reached[next];
    for (uint32_t i = begins_[at.index()]; i < begins_[at.index() + 1]; ++i) {
      const uint32_t point = ends_of_[i];
      const FlowId end = other_end(point, at);
      if (cut_[point] || end == from || reached_by_[end.index()] != kNone) continue;
      reached_by_[end.index()] = point;
      reached.push_back(end);
      if (end != to) continue;
      for (FlowId back = to; back != from; back = other_end(way.back(), back)) {
        way.push_back(reached_by_[back.index()]);
      }
      break;
    }
  }
  for (const FlowId each : reached) reached_by_[each.index()] = kNone;
  std::reverse(way.begin(), way.end());
  return way;
}

void AliasPoints::CutAt(const ReadSlot& slot) {
  if (const auto found = by_slot_.find(slot); found != by_slot_.end()) cut_[found->second] = true;
}

bool AliasPoints::Separate(FlowId from, FlowId to) {
  if (from == to) return false;
  for (;;) {
    const std::vector<uint32_t> way = Way(from, to);
    if (way.empty()) return true;
    uint32_t best = kNone;
    for (const uint32_t point : way) {
      if (points_[point].fixed) continue;
      if (best == kNone || points_[point].depth < points_[best].depth) best = point;
    }
    if (best == kNone) return false;
    cut_[best] = true;
  }
}

}  // namespace halo
