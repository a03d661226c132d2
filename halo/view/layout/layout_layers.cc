// Assigns layers by longest path, no wider than suits a picture. Then nodes with space below them
// move down to their readers, where that makes edges shorter.
#include "halo/view/layout/layout_layers.h"

#include <algorithm>
#include <cmath>

namespace halo::view {
namespace {

constexpr size_t kMostPasses = 60'000;
constexpr float kNarrowest = 1400;

struct Links {
  Links(size_t nodes, const std::vector<LayoutEdge>& edges, bool down) : begins(nodes + 1, 0) {
    const auto end = [&](const LayoutEdge& edge) { return down ? edge.from : edge.to; };
    for (const LayoutEdge& edge : edges) {
      if (edge.from < edge.to) ++begins[end(edge) + 1];
    }
    for (size_t i = 0; i < nodes; ++i) begins[i + 1] += begins[i];
    others.resize(begins[nodes]);
    std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
    for (const LayoutEdge& edge : edges) {
      if (edge.from < edge.to) others[next[end(edge)]++] = down ? edge.to : edge.from;
    }
  }
  [[nodiscard]] std::span<const uint32_t> of(uint32_t node) const {
    return {others.data() + begins[node], others.data() + begins[node + 1]};
  }
  std::vector<uint32_t> begins, others;
};

class Layerer {
 public:
  Layerer(const std::vector<LayoutNode>& nodes, const std::vector<LayoutEdge>& edges,
          const LayoutOptions& options)
      : nodes_(nodes),
        gap_(options.node_gap),
        above_(nodes.size(), edges, false),
        below_(nodes.size(), edges, true),
        layers_(nodes.size(), 0) {
    double area = 0;
    float widest_node = 0;
    for (const LayoutNode& node : nodes) {
      area += double(node.width + gap_) * double(node.height + options.layer_gap);
      widest_node = std::max(widest_node, node.width);
    }
    widest_ = options.widest > 0
                  ? options.widest
                  : std::max({kNarrowest, widest_node, float(1.5 * std::sqrt(area))});
  }

  std::vector<uint32_t> Run() {
    const auto count = static_cast<uint32_t>(nodes_.size());
    for (uint32_t i = 0; i < count; ++i) {
      if (!nodes_[i].is_source) Place(i, Earliest(i));
    }
    for (uint32_t i = count; i-- > 0;) {
      if (!nodes_[i].is_source) MoveDown(i);
    }
    for (uint32_t i = count; i-- > 0;) {
      if (nodes_[i].is_source) PlaceSource(i);
    }
    return Numbered();
  }

 private:
  // Layers count from kBase, so that sources have space above the first.
  static constexpr int64_t kBase = 1 << 20;

  float& WidthOf(int64_t layer) {
    const auto at = static_cast<size_t>(layer - kBase + kAbove);
    if (widths_.size() <= at) {
      widths_.resize(at + 1, 0);
      next_.resize(at + 1, 0);
    }
    return widths_[at];
  }
  static constexpr int64_t kAbove = 4096;

  [[nodiscard]] int64_t Earliest(uint32_t node) const {
    int64_t layer = kBase;
    for (const uint32_t each : above_.of(node)) {
      if (!nodes_[each].is_source) layer = std::max(layer, layers_[each] + 1);
    }
    return layer;
  }

  [[nodiscard]] int64_t Latest(uint32_t node) const {
    int64_t layer = INT64_MAX;
    for (const uint32_t each : below_.of(node)) layer = std::min(layer, layers_[each] - 1);
    return layer;
  }

  bool HasSpace(int64_t layer, float width) {
    const float taken = WidthOf(layer);
    return taken == 0 || taken + width <= widest_;
  }

  void Add(uint32_t node, int64_t layer) {
    layers_[node] = layer;
    WidthOf(layer) += nodes_[node].width + gap_;
  }

  // Uses the first layer with space; skips full layers by what was learned before.
  void Place(uint32_t node, int64_t layer) {
    const float width = nodes_[node].width;
    int64_t at = layer;
    for (int steps = 0; steps < 64 && !HasSpace(at, width); ++steps) {
      int64_t& jump = next_[static_cast<size_t>(at - kBase + kAbove)];
      at = jump > at ? jump : at + 1;
    }
    for (int64_t full = layer; full < at && full < layer + 4; ++full) {
      WidthOf(full);
      int64_t& jump = next_[static_cast<size_t>(full - kBase + kAbove)];
      if (!HasSpace(full, 40)) jump = std::max(jump, at);
    }
    Add(node, at);
  }

  void MoveDown(uint32_t node) {
    const std::span<const uint32_t> above = above_.of(node);
    const auto held = static_cast<size_t>(std::count_if(
        above.begin(), above.end(), [&](uint32_t each) { return !nodes_[each].is_source; }));
    if (below_.of(node).size() <= held) return;
    const int64_t latest = Latest(node);
    for (int64_t layer = latest; layer > layers_[node] && layer > latest - 40; --layer) {
      if (!HasSpace(layer, nodes_[node].width)) continue;
      WidthOf(layers_[node]) -= nodes_[node].width + gap_;
      Add(node, layer);
      return;
    }
  }

  void PlaceSource(uint32_t node) {
    int64_t layer = Latest(node);
    if (layer == INT64_MAX) layer = kBase;
    const int64_t highest = std::max<int64_t>(layer - 12, kBase - kAbove + 1);
    while (layer > highest && !HasSpace(layer, nodes_[node].width)) --layer;
    Add(node, layer);
  }

  [[nodiscard]] std::vector<uint32_t> Numbered() const {
    std::vector<int64_t> used(layers_);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::vector<uint32_t> numbers;
    for (const int64_t layer : layers_) {
      numbers.push_back(
          static_cast<uint32_t>(std::lower_bound(used.begin(), used.end(), layer) - used.begin()));
    }
    return numbers;
  }

  const std::vector<LayoutNode>& nodes_;
  float gap_;
  float widest_ = 0;
  Links above_, below_;
  std::vector<int64_t> layers_;
  std::vector<float> widths_;
  std::vector<int64_t> next_;
};

}  // namespace

std::vector<uint32_t> AssignLayers(const std::vector<LayoutNode>& nodes,
                                   const std::vector<LayoutEdge>& edges,
                                   const LayoutOptions& options) {
  return Layerer(nodes, edges, options).Run();
}

LayerGraph MakeLayerGraph(const std::vector<LayoutNode>& nodes,
                          const std::vector<LayoutEdge>& edges, const std::vector<uint32_t>& layers,
                          const LayoutOptions& options) {
  LayerGraph graph;
  const uint32_t count = layers.empty() ? 0 : *std::max_element(layers.begin(), layers.end()) + 1;
  graph.layers.resize(count);
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    graph.slots.push_back({i, LayoutSlot::kNone, layers[i], nodes[i].width, 0});
  }
  graph.passes.resize(edges.size());
  graph.is_far.assign(edges.size(), false);
  graph.far.resize(nodes.size());
  graph.above.resize(nodes.size());
  graph.below.resize(nodes.size());
  const auto link = [&](uint32_t upper, uint32_t lower) {
    graph.below[upper].push_back(lower);
    graph.above[lower].push_back(upper);
  };
  size_t passes = 0;
  for (uint32_t e = 0; e < edges.size(); ++e) {
    const LayoutEdge& edge = edges[e];
    const uint32_t first = layers[edge.from], last = layers[edge.to];
    const uint32_t between = last > first ? last - first - 1 : 0;
    if (last <= first || between > options.longest_route || passes + between > kMostPasses) {
      graph.is_far[e] = true;
      graph.far[edge.from].push_back(edge.to);
      graph.far[edge.to].push_back(edge.from);
      continue;
    }
    passes += between;
    uint32_t upper = edge.from;
    for (uint32_t layer = first + 1; layer < last; ++layer) {
      const auto slot = static_cast<uint32_t>(graph.slots.size());
      graph.slots.push_back({LayoutSlot::kNone, e, layer, 0, 0});
      graph.above.emplace_back();
      graph.below.emplace_back();
      graph.passes[e].push_back(slot);
      link(upper, slot);
      upper = slot;
    }
    link(upper, edge.to);
  }
  for (uint32_t i = 0; i < graph.slots.size(); ++i) {
    graph.layers[graph.slots[i].layer].push_back(i);
  }
  return graph;
}

}  // namespace halo::view
