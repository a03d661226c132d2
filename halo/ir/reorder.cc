// Renumbers every reference to an instruction: operands, roots, control predecessors.
#include "halo/ir/reorder.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace halo {
namespace {

template <class Renamed>
void RenameInstructions(Module& module, uint32_t first, uint32_t last, const Renamed& renamed) {
  const auto rename = [&](InstId id) {
    return id.valid() && id.value >= first && id.value < last ? renamed(id) : id;
  };
  for (InstId& operand : module.operands) operand = rename(operand);
  for (Computation& comp : module.comps) comp.root = rename(comp.root);
  std::vector<Attr> attrs;
  std::vector<int64_t> preds;
  for (Inst& inst : module.insts) {
    if (module.Find(inst, AttrKey::k_control_predecessors) == nullptr) continue;
    attrs.assign(module.attrs_of(inst).begin(), module.attrs_of(inst).end());
    for (Attr& attr : attrs) {
      if (attr.key != AttrKey::k_control_predecessors) continue;
      preds.assign(module.list(attr.value).begin(), module.list(attr.value).end());
      for (int64_t& pred : preds) pred = rename(InstId(static_cast<uint32_t>(pred))).value;
      attr.value = module.Ints(preds).value;
    }
    inst.attrs = module.Attrs(attrs);
  }
}

}  // namespace

void ReorderInstructions(Module& module, std::span<const InstId> order) {
  FlatVector<Inst> insts;
  insts.reserve(order.size());
  std::vector<InstId> renamed(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    insts.push_back(module.inst(order[i]));
    renamed[order[i].index()] = InstId(i);
  }
  module.insts = std::move(insts);
  RenameInstructions(module, 0, static_cast<uint32_t>(order.size()),
                     [&](InstId id) { return renamed[id.index()]; });
}

std::vector<InstId> MoveInstructions(Module& module, std::span<const InstPosition> moves) {
  std::vector<InstPosition> sorted(moves.begin(), moves.end());
  std::sort(sorted.begin(), sorted.end(), [](const InstPosition& a, const InstPosition& b) {
    return std::tie(a.before, a.inst) < std::tie(b.before, b.inst);
  });
  std::vector<bool> is_moved(module.insts.size(), false);
  for (const InstPosition& move : sorted) is_moved[move.inst.index()] = true;
  std::vector<InstId> order;
  order.reserve(module.insts.size());
  auto next = sorted.begin();
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    for (; next != sorted.end() && next->before == InstId(i); ++next) order.push_back(next->inst);
    if (!is_moved[i]) order.emplace_back(i);
  }
  ReorderInstructions(module, order);
  return order;
}

void RepeatInstruction(Module& module, InstPosition position) {
  const auto [inst, before] = position;
  const CompId comp = module.inst(inst).parent;
  const uint32_t at = before.value;
  Inst copy = module.inst(inst);
  copy.name = module.AddName(std::string(module.name_of(copy)) + ".again");
  // Users from `before` on read the copy. The copy reads the operands of the original.
  const uint32_t end = module.comp(comp).first + module.comp(comp).count;
  for (uint32_t i = at; i < end; ++i) {
    const Inst& user = module.insts[i];
    for (uint32_t k = 0; k < user.operand_count; ++k) {
      InstId& operand = module.operands[user.operands_begin + k];
      if (operand == inst) operand = InstId(static_cast<uint32_t>(module.insts.size()));
    }
  }
  const auto old_count = static_cast<uint32_t>(module.insts.size());
  module.insts.push_back(copy);
  std::rotate(module.insts.begin() + at, module.insts.end() - 1, module.insts.end());
  for (Computation& each : module.comps) {
    if (each.first > at) ++each.first;
  }
  ++module.comps[comp.index()].count;
  RenameInstructions(module, at, old_count + 1, [&](InstId id) {
    return id.value == old_count ? InstId(at) : InstId(id.value + 1);
  });
}

}  // namespace halo
