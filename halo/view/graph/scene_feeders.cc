// Collects inputs by the boxes that read them.
#include "halo/view/graph/scene_feeders.h"

#include <map>

namespace halo::view {
namespace {

constexpr size_t kFewInsts = 60;       // up to this size, every constant is shown
constexpr uint32_t kNearReaders = 12;  // boxes; an input that is read farther away is shown again

bool IsScalar(const Module& module, const Inst& inst) {
  return module.shapes.is_array(inst.shape) && module.shapes.dims(inst.shape).empty();
}

// The items that read each instruction.
std::map<uint32_t, std::vector<uint32_t>> ReadersOf(const Level& level, const ItemsByInst& items) {
  std::map<uint32_t, std::vector<uint32_t>> readers;
  for (uint32_t i = 0; i < level.items.size(); ++i) {
    for (uint32_t k = level.items[i].begin; k < level.items[i].end; ++k) {
      for (const InstId each : level.reads.of(k)) {
        if (items.contains(each.value)) continue;
        std::vector<uint32_t>& list = readers[each.value];
        if (list.empty() || list.back() != i) list.push_back(i);
      }
    }
  }
  return readers;
}

}  // namespace

std::vector<Feeder> FeedersOf(const Module& module, const Level& level, const ItemsByInst& items) {
  const std::map<uint32_t, std::vector<uint32_t>> readers = ReadersOf(level, items);
  const bool few = level.order.size() + level.leaves.size() <= kFewInsts;
  std::vector<Feeder> feeders;
  for (const auto& [id, list] : readers) {
    const Inst& inst = module.insts[id];
    if (inst.opcode == Opcode::kConstant && IsScalar(module, inst) && !few) continue;
    for (size_t begin = 0; begin < list.size();) {
      size_t end = begin + 1;
      while (end < list.size() && list[end] - list[end - 1] <= kNearReaders) ++end;
      Feeder feeder{InstId(id),
                    {list.begin() + static_cast<ptrdiff_t>(begin),
                     list.begin() + static_cast<ptrdiff_t>(end)}};
      begin = end;
      // An input that only one closed box reads is inside that box.
      const bool is_inside = feeder.readers.size() == 1 && IsLeaf(module, inst) &&
                             level.items[feeder.readers[0]].kind != NodeKind::kInst;
      if (!is_inside) feeders.push_back(std::move(feeder));
    }
  }
  if (!few) return feeders;
  // Inputs without readers, except tuples that are only split into elements.
  for (const InstId id : level.leaves) {
    const bool is_tuple = module.shapes.is_tuple(module.inst(id).shape);
    if (!is_tuple && !readers.contains(id.value)) feeders.push_back({id, {}});
  }
  return feeders;
}

}  // namespace halo::view
