// Draws a frame from the inside out: its open contents first, because their size determines where
// the rest goes. Positions are relative to the frame until all are known.
#include "halo/view/graph/scene.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "halo/view/graph/scene_boxes.h"
#include "halo/view/graph/scene_feeders.h"
#include "halo/view/graph/scene_level.h"

namespace halo::view {
namespace {

constexpr int kDeepest = 24;    // nested frames
constexpr size_t kBundled = 6;  // inputs of one box
constexpr size_t kBundleColumns = 4;
constexpr size_t kCommonReaders = 6;

struct Size {
  float width = 0, height = 0;
};

class Drawer {
 public:
  Drawer(ModuleView& view, const SceneOptions& options)
      : view_(view), module_(view.module()), options_(options) {
    // What must be open to show an instruction: the callers of its computation, recursively.
    InstId at = options.reveal;
    for (uint32_t depth = 0; at.valid() && depth < 64; ++depth) {
      if (!sought_.emplace(at.value, depth).second) break;
      at = view.CallerOf(module_.inst(at).parent);
    }
  }

  Scene Draw(CompId comp) { return Finish(DrawComp(comp, -1, 0)); }
  Scene Draw(const Level& level) { return Finish(DrawLevel(level, -1, 0, false)); }

  std::unordered_map<uint32_t, uint32_t> unseen;  // by instruction, in a neighbourhood

 private:
  // The boxes of the level being drawn.
  struct Boxes {
    std::vector<LayoutNode> layout;
    std::vector<int32_t> nodes;  // of each box
    std::vector<LayoutEdge> edges;
    std::vector<double> bytes;  // of each edge
  };

  [[nodiscard]] SceneNode& node(int32_t index) { return scene_.nodes[static_cast<size_t>(index)]; }

  [[nodiscard]] uint32_t Left() const {
    const auto used = static_cast<uint32_t>(scene_.nodes.size());
    return std::max(options_.limit > used ? options_.limit - used : 0, 24u);
  }

  [[nodiscard]] uint8_t MarkOf(std::span<const InstId> insts) const {
    if (options_.marks.empty() || insts.empty()) return 0;
    uint8_t least = UINT8_MAX, most = 0;
    for (const InstId id : insts) {
      const uint8_t mark = options_.marks[id.index()];
      most = std::max(most, mark);
      if (mark != 0) least = std::min(least, mark);
    }
    return most == 0 || least == most ? most : options_.mixed_mark;
  }

  int32_t Add(SceneNode made, int32_t frame) {
    made.parent = frame;
    const bool is_single = made.kind == NodeKind::kInst || made.kind == NodeKind::kPort;
    if (is_single && made.inst.valid()) made.mark = MarkOf({&made.inst, 1});
    scene_.nodes.push_back(std::move(made));
    return static_cast<int32_t>(scene_.nodes.size() - 1);
  }

  // Records a node that shows or contains the instruction; the one closest to the revealed
  // instruction wins.
  bool Notice(InstId inst, int32_t index) {
    const auto sought = sought_.find(inst.value);
    if (sought == sought_.end()) return false;
    if (sought->second <= nearest_) {
      nearest_ = sought->second;
      scene_.found = index;
    }
    return true;
  }

  [[nodiscard]] bool MayOpen(const SceneNode& made, int depth) const {
    return made.can_open && depth < kDeepest && scene_.nodes.size() < size_t{options_.limit} * 4;
  }

  // The frame's node is at `index`; `inside` draws into it.
  template <class Inside>
  void Open(int32_t index, const Inside& inside) {
    node(index).is_open = true;
    const size_t first_node = scene_.nodes.size(), first_edge = scene_.edges.size();
    const Size size = inside();
    SceneNode& frame = node(index);
    frame.width = std::max(size.width + 2 * kPadding, TextWidth(frame.label, {}) + 50);
    frame.height = size.height + kTitle + kPadding;
    // Contents that are narrower than the title are centred.
    const float shift = (frame.width - size.width) / 2 - kPadding;
    for (size_t i = first_node; i < scene_.nodes.size(); ++i) {
      if (scene_.nodes[i].parent == index) scene_.nodes[i].x += shift;
    }
    for (size_t i = first_edge; i < scene_.edges.size(); ++i) {
      if (scene_.edges[i].parent != index) continue;
      for (LayoutPoint& point : scene_.edges[i].points) point.x += shift;
    }
  }

  Size DrawComp(CompId comp, int32_t frame, int depth) {
    Level level = LevelOf(view_, comp, {.group = options_.group, .all = options_.all});
    CutIntoItems(view_, options_.group, UINT32_MAX, Left(), level);
    return DrawLevel(level, frame, depth, true);
  }

  // Returns true if nearly everything in a small level is inside this node.
  [[nodiscard]] bool OpensItself(const SceneNode& made, const Level& level, int depth) const {
    return options_.opens_itself && depth < 3 && level.items.size() <= 40 &&
           made.instructions > 30 && made.instructions > 3 * level.order.size();
  }

  int32_t DrawInst(InstId id, const Level& level, int32_t frame, int depth) {
    const int32_t index = Add(InstBox(module_, id), frame);
    if (const auto more = unseen.find(id.value); more != unseen.end()) {
      node(index).unseen = more->second;
    }
    const bool is_sought = Notice(id, index) && id != options_.reveal;
    const bool wanted = is_sought || options_.open.contains(node(index).key) ||
                        OpensItself(node(index), level, depth);
    if (!wanted || !MayOpen(node(index), depth)) return index;
    std::vector<CompId> called;
    CalledComputations(module_, module_.inst(id), called);
    Open(index, [&] {
      if (called.size() == 1) return DrawComp(called[0], index, depth + 1);
      return DrawComps(called, index, depth + 1);
    });
    return index;
  }

  // Draws several computations side by side.
  Size DrawComps(const std::vector<CompId>& comps, int32_t frame, int depth) {
    Size all;
    for (const CompId id : comps) {
      const int32_t index = Add(CompBox(module_, id), frame);
      Open(index, [&] { return DrawComp(id, index, depth + 1); });
      node(index).x = kPadding + all.width;
      node(index).y = kTitle;
      all.width += node(index).width + kPadding;
      all.height = std::max(all.height, node(index).height);
    }
    all.width -= kPadding;
    return all;
  }

  // Draws a fold or a scope. When it is open, `shown` of its instructions appear.
  int32_t DrawGroup(SceneNode made, const Level& level, const LevelItem& item, uint32_t shown,
                    uint32_t longest_period, int32_t frame, int depth) {
    const int32_t index = Add(std::move(made), frame);
    node(index).mark = MarkOf(std::span(level.order).subspan(item.begin, item.end - item.begin));
    bool is_sought = false;
    for (uint32_t i = item.begin; i < item.end; ++i) {
      is_sought = Notice(level.order[i], index) || is_sought;
    }
    if (!is_sought && !options_.open.contains(node(index).key)) return index;
    if (!MayOpen(node(index), depth)) return index;
    Level inner = PartOf(level, item.begin, item.begin + shown);
    CutIntoItems(view_, options_.group, longest_period, Left(), inner);
    Open(index, [&] { return DrawLevel(inner, index, depth + 1, true); });
    return index;
  }

  int32_t DrawItem(const Level& level, const LevelItem& item, int32_t frame, int depth) {
    const std::span<const InstId> insts =
        std::span(level.order).subspan(item.begin, item.end - item.begin);
    if (item.kind == NodeKind::kFold) {
      const uint32_t count = (item.end - item.begin) / item.period;
      SceneNode made = FoldBox(module_, insts.first(item.period), count);
      scene_.folds.push_back({made.key, made.inst, count, item.period});
      return DrawGroup(std::move(made), level, item, item.period, item.period / 2, frame, depth);
    }
    if (item.kind == NodeKind::kScope) {
      scene_.has_scopes =
          scene_.has_scopes || (level.tree && !level.is_gathered && !item.is_direct);
      return DrawGroup(ScopeBox(module_, insts, item), level, item, item.end - item.begin,
                       UINT32_MAX, frame, depth);
    }
    return DrawInst(insts[0], level, frame, depth);
  }

  void Link(uint32_t from, uint32_t to, double bytes, Boxes& boxes) {
    boxes.edges.push_back({from, to});
    boxes.bytes.push_back(bytes);
  }

  [[nodiscard]] double BytesOf(InstId id) const {
    return static_cast<double>(module_.shapes.ByteSize(module_.inst(id).shape).value_or(0));
  }

  void DrawFeeder(const Feeder& feeder, int32_t frame, uint32_t first_item, Boxes& boxes) {
    SceneNode made = PillOf(module_, feeder.inst);
    if (!IsLeaf(module_, module_.inst(feeder.inst))) {
      made.kind = NodeKind::kPort;
      made.key[0] = 'p';
    }
    const auto box = static_cast<uint32_t>(boxes.nodes.size());
    boxes.nodes.push_back(Add(std::move(made), frame));
    Notice(feeder.inst, boxes.nodes.back());
    for (const uint32_t reader : feeder.readers) {
      Link(box, first_item + reader, BytesOf(feeder.inst), boxes);
    }
  }

  // Draws many inputs of one box as one bundle.
  void DrawBundle(const std::vector<InstId>& insts, uint32_t reader, int32_t frame,
                  uint32_t first_item, Boxes& boxes) {
    const auto box = static_cast<uint32_t>(boxes.nodes.size());
    const int32_t index = Add(BundleBox(module_, insts), frame);
    node(index).mark = MarkOf(insts);
    boxes.nodes.push_back(index);
    bool is_sought = false;
    for (const InstId id : insts) is_sought = Notice(id, index) || is_sought;
    Link(box, first_item + reader, node(index).bytes, boxes);
    if (!is_sought && !options_.open.contains(node(index).key)) return;
    Open(index, [&] {
      Size size;
      float x = 0, y = 0;
      for (size_t i = 0; i < insts.size(); ++i) {
        if (i % kBundleColumns == 0) {
          x = 0;
          y = static_cast<float>(i / kBundleColumns) * (kPillHeight + 8);
        }
        const int32_t pill = Add(PillOf(module_, insts[i]), index);
        Notice(insts[i], pill);
        node(pill).x = kPadding + x;
        node(pill).y = kTitle + y;
        x += node(pill).width + 8;
        size.width = std::max(size.width, x - 8);
        size.height = y + kPillHeight;
      }
      return size;
    });
  }

  Size DrawLevel(const Level& level, int32_t frame, int depth, bool with_feeders) {
    scene_.is_gathered = scene_.is_gathered || level.is_gathered;
    ItemsByInst items;
    for (uint32_t i = 0; i < level.items.size(); ++i) {
      for (uint32_t k = level.items[i].begin; k < level.items[i].end; ++k) {
        items.emplace(level.order[k].value, i);
      }
    }
    Boxes boxes;
    if (with_feeders) DrawFeeders(level, items, frame, boxes);
    const auto first_item = static_cast<uint32_t>(boxes.nodes.size());
    for (const LevelItem& item : level.items) {
      boxes.nodes.push_back(DrawItem(level, item, frame, depth));
    }
    Connect(level, items, first_item, boxes);
    for (const InstId id : level.outputs) {
      const auto found = items.find(id.value);
      if (found != items.end()) node(boxes.nodes[first_item + found->second]).is_output = true;
    }
    return Place(frame, boxes);
  }

  void DrawFeeders(const Level& level, const ItemsByInst& items, int32_t frame, Boxes& boxes) {
    const std::vector<Feeder> feeders = FeedersOf(module_, level, items);
    std::map<uint32_t, std::vector<InstId>> single;  // by their only reader
    for (const Feeder& feeder : feeders) {
      if (feeder.readers.size() == 1) single[feeder.readers[0]].push_back(feeder.inst);
    }
    // Items come after all inputs, so count those first.
    uint32_t first_item = 0;
    for (const auto& [reader, insts] : single) {
      first_item += insts.size() > kBundled ? 1 : static_cast<uint32_t>(insts.size());
    }
    for (const Feeder& feeder : feeders) first_item += feeder.readers.size() == 1 ? 0 : 1;
    for (const Feeder& feeder : feeders) {
      const bool bundled =
          feeder.readers.size() == 1 && single[feeder.readers[0]].size() > kBundled;
      if (!bundled) DrawFeeder(feeder, frame, first_item, boxes);
    }
    for (const auto& [reader, insts] : single) {
      if (insts.size() > kBundled) DrawBundle(insts, reader, frame, first_item, boxes);
    }
  }

  void Connect(const Level& level, const ItemsByInst& items, uint32_t first_item, Boxes& boxes) {
    std::unordered_map<uint64_t, size_t> known;
    for (uint32_t i = 0; i < level.items.size(); ++i) {
      for (uint32_t k = level.items[i].begin; k < level.items[i].end; ++k) {
        for (const InstId each : level.reads.of(k)) {
          const auto found = items.find(each.value);
          if (found == items.end() || found->second == i) continue;
          const auto [at, fresh] =
              known.try_emplace(uint64_t{found->second} << 32 | i, boxes.edges.size());
          if (fresh) {
            Link(first_item + found->second, first_item + i, BytesOf(each), boxes);
          } else {
            boxes.bytes[at->second] = std::max(boxes.bytes[at->second], BytesOf(each));
          }
        }
      }
    }
  }

  Size Place(int32_t frame, Boxes& boxes) {
    const size_t count = boxes.nodes.size();
    std::vector<bool> is_fed(count, false), is_read(count, false);
    for (const LayoutEdge& edge : boxes.edges) {
      is_fed[edge.to] = true;
      is_read[edge.from] = true;
    }
    for (size_t i = 0; i < count; ++i) {
      const SceneNode& each = node(boxes.nodes[i]);
      // A box that reads nothing is placed with its readers; one without readers is placed alone.
      boxes.layout.push_back({each.width, each.height, !is_fed[i] && is_read[i]});
    }
    const GraphLayout layout = LayOutLayers(boxes.layout, boxes.edges);
    const float left = frame < 0 ? 0 : kPadding;
    const float top = frame < 0 ? 0 : kTitle;
    for (size_t i = 0; i < count; ++i) {
      node(boxes.nodes[i]).x = layout.corners[i].x + left;
      node(boxes.nodes[i]).y = layout.corners[i].y + top;
    }
    for (size_t e = 0; e < boxes.edges.size(); ++e) {
      SceneEdge edge{static_cast<uint32_t>(boxes.nodes[boxes.edges[e].from]),
                     static_cast<uint32_t>(boxes.nodes[boxes.edges[e].to]),
                     boxes.bytes[e],
                     layout.is_far[e],
                     frame,
                     layout.routes[e]};
      for (LayoutPoint& point : edge.points) point = {point.x + left, point.y + top};
      scene_.edges.push_back(std::move(edge));
    }
    return {layout.width, layout.height};
  }

  Scene Finish(Size size) {
    for (SceneNode& each : scene_.nodes) {
      if (each.parent < 0) continue;
      each.x += node(each.parent).x;
      each.y += node(each.parent).y;
    }
    for (SceneEdge& edge : scene_.edges) {
      if (edge.parent < 0) continue;
      const SceneNode& frame = node(edge.parent);
      for (LayoutPoint& point : edge.points) point = {point.x + frame.x, point.y + frame.y};
    }
    scene_.width = size.width;
    scene_.height = size.height;
    return std::move(scene_);
  }

  ModuleView& view_;
  const Module& module_;
  const SceneOptions& options_;
  std::unordered_map<uint32_t, uint32_t> sought_;  // instructions, by distance from the revealed
                                                   // one
  uint32_t nearest_ = UINT32_MAX;
  Scene scene_;
};

}  // namespace

std::string_view NodeKindText(NodeKind kind) {
  constexpr std::array<std::string_view, kNodeKinds> kTexts = {"inst", "fold", "scope",
                                                               "comp", "port", "bundle"};
  return kTexts[static_cast<size_t>(kind)];
}

Scene DrawComputation(ModuleView& view, CompId comp, const SceneOptions& options) {
  return Drawer(view, options).Draw(comp);
}

Scene DrawAround(ModuleView& view, std::span<const InstId> insts, uint32_t hops,
                 const SceneOptions& options) {
  const Module& module = view.module();
  const Users& users = view.users();
  std::vector<InstId> found;
  std::set<InstId> seen;
  const auto visit = [&](InstId id) {
    if (!id.valid() || found.size() >= options.limit || !seen.insert(id).second) return;
    found.push_back(id);
  };
  // Around several instructions, an input that everything reads would only add lines.
  const auto is_common = [&](InstId id) {
    return insts.size() > 1 && id.valid() && IsLeaf(module, module.inst(id)) &&
           users.of(id).size() > kCommonReaders;
  };
  for (const InstId inst : insts) visit(inst);
  size_t begin = 0;
  for (uint32_t hop = 0; hop < hops; ++hop) {
    for (const size_t end = found.size(); begin < end; ++begin) {
      const InstId at = found[begin];
      for (const InstId operand : module.operands_of(module.inst(at))) {
        if (!is_common(operand)) visit(operand);
      }
      for (const InstId user : users.of(at)) visit(user);
    }
  }
  Drawer drawer(view, options);
  Level level;
  for (const InstId id : seen) {
    uint32_t hidden = 0;
    for (const InstId each : module.operands_of(module.inst(id))) {
      if (!each.valid()) continue;
      level.reads.insts.push_back(each);
      hidden += seen.contains(each) ? 0 : 1;
    }
    level.reads.End();
    for (const InstId each : users.of(id)) hidden += seen.contains(each) ? 0 : 1;
    if (hidden != 0) drawer.unseen.emplace(id.value, hidden);
    const auto position = static_cast<uint32_t>(level.order.size());
    level.items.push_back({NodeKind::kInst, position, position + 1, 0, {}});
    level.order.push_back(id);
  }
  return drawer.Draw(level);
}

}  // namespace halo::view
