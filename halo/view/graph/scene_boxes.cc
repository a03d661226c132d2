// Builds boxes of each kind.
#include "halo/view/graph/scene_boxes.h"

#include <algorithm>

#include "halo/analysis/graph/run_counts.h"
#include "halo/api/info/collective_info.h"
#include "halo/base/strings/human_size.h"
#include "halo/view/graph/categories.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

constexpr size_t kLongestLabel = 200;
constexpr size_t kLongestDetail = 60;

double BytesOf(const Module& module, const Inst& inst) {
  return static_cast<double>(module.shapes.ByteSize(ResultShape(module, inst)).value_or(0));
}

double BytesOf(const Module& module, std::span<const InstId> insts) {
  double bytes = 0;
  for (const InstId id : insts) bytes += BytesOf(module, module.inst(id));
  return bytes;
}

const Inst& HeaviestOf(const Module& module, std::span<const InstId> insts) {
  const Inst* best = &module.inst(insts[0]);
  Category category = CategoryOf(module, *best);
  for (const InstId id : insts.first(std::min<size_t>(insts.size(), 1000))) {
    const Category each = CategoryOf(module, module.inst(id));
    if (each >= category) continue;
    category = each;
    best = &module.inst(id);
  }
  return *best;
}

// Names like "loop_fusion.12" are identified by the part before the number.
std::string StemOf(const Module& module, const Inst& inst) {
  const std::string_view name = module.name_of(inst);
  return Shortened(name.substr(0, name.find_last_not_of("0123456789.") + 1), kLongestLabel);
}

// Most names are descriptive; otherwise the opcode precedes the shape.
std::string DetailOf(const Module& module, const Inst& inst) {
  const std::string opcode = OpcodeName(module, inst);
  std::string plain = opcode;
  std::replace(plain.begin(), plain.end(), '-', '_');
  const std::string_view name = module.name_of(inst).substr(0, kLongestLabel);
  std::string detail = module.shapes.Text(ResultShape(module, inst), false);
  if (inst.opcode == Opcode::kCustomCall) {
    detail = std::string(module.TextOr(inst.attrs, AttrKey::k_custom_call_target)) + " " + detail;
  } else if (name.find(opcode) == std::string_view::npos &&
             name.find(plain) == std::string_view::npos) {
    detail = opcode + " " + detail;
  }
  return Shortened(detail, kLongestDetail);
}

SceneNode GroupBox(NodeKind kind, const Module& module, std::span<const InstId> insts) {
  SceneNode node;
  node.kind = kind;
  node.inst = insts[0];
  node.instructions = static_cast<uint32_t>(insts.size());
  node.can_open = true;
  node.category = static_cast<uint8_t>(CategoryOf(module, HeaviestOf(module, insts)));
  node.bytes = BytesOf(module, insts);
  node.height = kBoxHeight + 8;
  return node;
}

// The end of a path is the most informative part.
std::string_view LastTwoParts(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return path;
  const size_t before = path.rfind('/', slash - 1);
  return before == std::string_view::npos ? path : path.substr(before + 1);
}

}  // namespace

// Assumes letters as wide as in the fonts that viewers use; only the spacing depends on it.
float TextWidth(std::string_view label, std::string_view detail) {
  const float wide =
      std::max(6.9f * static_cast<float>(label.size()), 5.7f * static_cast<float>(detail.size()));
  return std::clamp(wide + 18, 44.0f, 236.0f);
}

SceneNode InstBox(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  SceneNode node;
  node.key = "i" + std::to_string(id.value);
  node.inst = id;
  node.label = Shortened(module.name_of(inst), kLongestLabel);
  node.detail = DetailOf(module, inst);
  const Category category = CategoryOf(module, inst);
  node.category = static_cast<uint8_t>(category);
  node.bytes = BytesOf(module, inst);
  std::vector<CompId> called;
  module.CalledBy(inst, called);
  node.can_open = !called.empty();
  if (called.size() == 1) node.comp = called[0];
  for (const CompId each : called) node.instructions += module.comp(each).count;
  if (inst.opcode == Opcode::kWhile) {
    node.count = static_cast<uint32_t>(
        std::clamp<int64_t>(KnownTripCount(module, inst).value_or(1), 1, UINT32_MAX));
  }
  const bool is_pill = category == Category::kTuple || category == Category::kParameter ||
                       category == Category::kConstant;
  node.width = TextWidth(node.label, is_pill ? std::string_view() : node.detail);
  node.height = is_pill ? kPillHeight : kBoxHeight;
  return node;
}

SceneNode PillOf(const Module& module, InstId id) {
  SceneNode node = InstBox(module, id);
  node.can_open = false;
  node.comp = CompId();
  node.width = TextWidth(node.label, {});
  node.height = kPillHeight;
  return node;
}

SceneNode FoldBox(const Module& module, std::span<const InstId> block, uint32_t count) {
  SceneNode node = GroupBox(NodeKind::kFold, module, block);
  node.key = "f" + std::to_string(block[0].value) + "." + std::to_string(block.size());
  node.count = count;
  const Inst& first = module.inst(block[0]);
  node.label = Shortened(CommonScope(module, block), kLongestLabel);
  if (block.size() == 1) node.label = StemOf(module, first);
  if (node.label.empty()) node.label = StemOf(module, HeaviestOf(module, block)) + " \xE2\x80\xA6";
  node.detail =
      block.size() == 1 ? DetailOf(module, first) : Counted(block.size(), "instruction") + " each";
  node.width = TextWidth(node.label, node.detail) + 44;
  return node;
}

SceneNode ScopeBox(const Module& module, std::span<const InstId> insts, const LevelItem& item) {
  SceneNode node = GroupBox(NodeKind::kScope, module, insts);
  node.key = "s" + std::to_string(insts[0].value) + "." + std::to_string(insts.size());
  node.label = Shortened(LastTwoParts(item.name), kLongestLabel);
  if (node.label.empty()) node.label = Shortened(CommonScope(module, insts), kLongestLabel);
  if (node.label.empty()) node.label = Shortened(module.name_of(module.inst(insts[0])), 60);
  node.detail = Counted(insts.size(), "instruction");
  if (item.is_direct) node.detail += " in no scope below";
  if (item.parts > 1) {
    node.detail += ", part " + std::to_string(item.part) + " of " + std::to_string(item.parts);
  }
  node.width = TextWidth(node.label, node.detail) + 12;
  return node;
}

SceneNode CompBox(const Module& module, CompId comp) {
  SceneNode node;
  node.kind = NodeKind::kComp;
  node.key = "c" + std::to_string(comp.value);
  node.comp = comp;
  node.instructions = module.comp(comp).count;
  node.label = Shortened(module.text(module.comp(comp).name), kLongestLabel);
  node.category = static_cast<uint8_t>(Category::kControl);
  return node;
}

SceneNode BundleBox(const Module& module, std::span<const InstId> insts) {
  SceneNode node = GroupBox(NodeKind::kBundle, module, insts);
  node.key = "b" + std::to_string(insts[0].value) + "." + std::to_string(insts.size());
  const bool are_constants = std::all_of(insts.begin(), insts.end(), [&](InstId id) {
    return module.inst(id).opcode == Opcode::kConstant;
  });
  node.label = Counted(insts.size(), are_constants ? "constant" : "input");
  node.detail = HumanBytes(static_cast<int64_t>(node.bytes));
  node.width = TextWidth(node.label, node.detail);
  node.height = kBoxHeight;
  return node;
}

}  // namespace halo::view
