// Results are matched with parameters of exactly the same shape and layout, as XLA requires.
#include "halo/memory/advise/donation.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace halo {
namespace {

struct Leaf {
  std::vector<int64_t> index;
  ShapeId shape;
};

constexpr size_t kMaxDepth = 16;

void AddLeaves(const ShapeTable& shapes, ShapeId shape, std::vector<int64_t>& index,
               std::vector<Leaf>& out) {
  if (!shapes.is_tuple(shape)) {
    if (shapes.is_array(shape)) out.push_back({index, shape});
    return;
  }
  if (index.size() >= kMaxDepth) return;
  const std::span<const ShapeId> elements = shapes.elements(shape);
  for (size_t i = 0; i < elements.size(); ++i) {
    index.push_back(static_cast<int64_t>(i));
    AddLeaves(shapes, elements[i], index, out);
    index.pop_back();
  }
}

}  // namespace

std::vector<AliasEntry> AliasesOf(const Module& module) {
  const Attr* attr = module.Find(module.attrs, AttrKey::k_input_output_alias);
  return attr == nullptr ? std::vector<AliasEntry>() : DecodeAliases(module.list(attr->value));
}

std::vector<DonationChoice> PossibleDonations(const Module& module,
                                              const std::vector<AliasEntry>& aliases) {
  std::vector<DonationChoice> choices;
  if (!module.entry.valid()) return choices;
  std::set<std::vector<int64_t>> taken;
  std::set<std::pair<int64_t, std::vector<int64_t>>> donated;
  for (const AliasEntry& alias : aliases) {
    taken.insert(alias.output_index);
    donated.emplace(alias.number, alias.input_index);
  }
  const Computation& entry = module.comp(module.entry);
  if (!entry.root.valid()) return choices;
  std::vector<int64_t> index;
  std::vector<Leaf> leaves;
  AddLeaves(module.shapes, module.inst(entry.root).shape, index, leaves);
  std::map<ShapeId, std::vector<std::vector<int64_t>>> results;  // those still free, last first
  for (auto leaf = leaves.rbegin(); leaf != leaves.rend(); ++leaf) {
    if (!taken.contains(leaf->index)) results[leaf->shape].push_back(leaf->index);
  }
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Inst& inst = module.insts[entry.first + i];
    if (inst.opcode != Opcode::kParameter) continue;
    leaves.clear();
    AddLeaves(module.shapes, inst.shape, index, leaves);
    for (const Leaf& leaf : leaves) {
      if (donated.contains({inst.extra, leaf.index})) continue;
      const auto found = results.find(leaf.shape);
      if (found == results.end() || found->second.empty()) continue;
      DonationChoice choice;
      choice.alias = {found->second.back(), inst.extra, leaf.index, AliasKind::kMay};
      choice.bytes = module.shapes.ByteSize(leaf.shape).value_or(0);
      choice.name = module.MetadataText(inst, AttrKey::k_op_name);
      choice.has_op_name = !choice.name.empty();
      if (!choice.has_op_name) choice.name = module.name_of(inst);
      found->second.pop_back();
      choices.push_back(std::move(choice));
    }
  }
  std::sort(choices.begin(), choices.end(), [](const auto& a, const auto& b) {
    return std::tie(b.bytes, a.alias.number, a.alias.input_index) <
           std::tie(a.bytes, b.alias.number, b.alias.input_index);
  });
  return choices;
}

}  // namespace halo
