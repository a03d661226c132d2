// Combines the steps, then determines the height of each layer and how edges run between layers.
#include "halo/view/layout/layered_layout.h"

#include <algorithm>

#include "halo/view/layout/layout_layers.h"

namespace halo::view {
namespace {

class Maker {
 public:
  Maker(const std::vector<LayoutNode>& nodes, const std::vector<LayoutEdge>& edges,
        const LayoutOptions& options)
      : nodes_(nodes), edges_(edges), options_(options) {}

  GraphLayout Make() {
    layers_ = AssignLayers(nodes_, edges_, options_);
    graph_ = MakeLayerGraph(nodes_, edges_, layers_, options_);
    OrderLayers(options_, graph_);
    PlaceAcross(options_, graph_);
    PlaceDown();
    PlaceNodes();
    Route();
    layout_.is_far = graph_.is_far;
    return std::move(layout_);
  }

 private:
  void PlaceDown() {
    tops_.assign(graph_.layers.size() + 1, 0);
    float y = 0;
    for (size_t layer = 0; layer < graph_.layers.size(); ++layer) {
      float height = 0;
      for (const uint32_t slot : graph_.layers[layer]) {
        const uint32_t node = graph_.slots[slot].node;
        if (node != LayoutSlot::kNone) height = std::max(height, nodes_[node].height);
      }
      tops_[layer] = y;
      heights_.push_back(height);
      // Many edges between two layers need space to be distinguishable.
      float links = 0;
      for (const uint32_t slot : graph_.layers[layer]) {
        links += static_cast<float>(graph_.below[slot].size());
      }
      y += height + options_.layer_gap + std::min(links * 0.6f, options_.layer_gap);
    }
    layout_.height = heights_.empty() ? 0 : tops_[heights_.size() - 1] + heights_.back();
  }

  void PlaceNodes() {
    float left = 0, right = 0;
    for (const LayoutSlot& slot : graph_.slots) {
      left = std::min(left, slot.x - slot.width / 2);
      right = std::max(right, slot.x + slot.width / 2);
    }
    for (LayoutSlot& slot : graph_.slots) slot.x -= left;
    layout_.width = right - left;
    layout_.corners.resize(nodes_.size());
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      const uint32_t layer = layers_[i];
      layout_.corners[i] = {graph_.slots[i].x - nodes_[i].width / 2,
                            tops_[layer] + (heights_[layer] - nodes_[i].height) / 2};
    }
  }

  // Edges into a node end side by side, in the order in which they arrive.
  [[nodiscard]] std::vector<float> Ends() const {
    std::vector<std::vector<std::pair<float, uint32_t>>> into(nodes_.size());
    for (uint32_t e = 0; e < edges_.size(); ++e) {
      const std::vector<uint32_t>& passes = graph_.passes[e];
      const float from =
          passes.empty() ? graph_.slots[edges_[e].from].x : graph_.slots[passes.back()].x;
      into[edges_[e].to].emplace_back(from, e);
    }
    std::vector<float> ends(edges_.size(), 0);
    for (uint32_t node = 0; node < nodes_.size(); ++node) {
      auto& edges = into[node];
      std::sort(edges.begin(), edges.end());
      const float middle = graph_.slots[node].x;
      const auto count = static_cast<float>(edges.size());
      const float step = std::min(nodes_[node].width * 0.7f / std::max(count, 1.0f), 14.0f);
      for (size_t i = 0; i < edges.size(); ++i) {
        ends[edges[i].second] = middle + (static_cast<float>(i) - (count - 1) / 2) * step;
      }
    }
    return ends;
  }

  void Route() {
    const std::vector<float> ends = Ends();
    layout_.routes.resize(edges_.size());
    for (uint32_t e = 0; e < edges_.size(); ++e) {
      const LayoutEdge& edge = edges_[e];
      std::vector<LayoutPoint>& route = layout_.routes[e];
      const float from = graph_.slots[edge.from].x;
      const float leave = layout_.corners[edge.from].y + nodes_[edge.from].height;
      const float arrive = layout_.corners[edge.to].y;
      const auto add = [&](float x, float y) {
        if (route.empty() || route.back().x != x || route.back().y != y) route.push_back({x, y});
      };
      add(from, leave);
      if (!graph_.is_far[e]) {
        const uint32_t first = layers_[edge.from], last = layers_[edge.to];
        add(from, tops_[first] + heights_[first]);
        for (const uint32_t slot : graph_.passes[e]) {
          const LayoutSlot& pass = graph_.slots[slot];
          add(pass.x, tops_[pass.layer]);
          add(pass.x, tops_[pass.layer] + heights_[pass.layer]);
        }
        add(ends[e], tops_[last]);
      }
      add(ends[e], arrive);
    }
  }

  const std::vector<LayoutNode>& nodes_;
  const std::vector<LayoutEdge>& edges_;
  const LayoutOptions& options_;
  std::vector<uint32_t> layers_;
  LayerGraph graph_;
  std::vector<float> tops_, heights_;
  GraphLayout layout_;
};

}  // namespace

GraphLayout LayOutLayers(const std::vector<LayoutNode>& nodes, const std::vector<LayoutEdge>& edges,
                         const LayoutOptions& options) {
  return Maker(nodes, edges, options).Make();
}

}  // namespace halo::view
