// The steps of a layered layout: the layer of each node, the contents of each layer and their
// order, and the x positions. layered_layout.cc combines them.
#ifndef HALO_VIEW_LAYOUT_LAYOUT_LAYERS_H_
#define HALO_VIEW_LAYOUT_LAYOUT_LAYERS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/view/layout/layered_layout.h"

namespace halo::view {

// Returns a layer for each node, from 0 without gaps. Every edge that follows the order goes down.
std::vector<uint32_t> AssignLayers(const std::vector<LayoutNode>& nodes,
                                   const std::vector<LayoutEdge>& edges,
                                   const LayoutOptions& options);

// An entry of a layer: a node, or a point where an edge passes through.
struct LayoutSlot {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t node = kNone;
  uint32_t edge = kNone;
  uint32_t layer = 0;
  float width = 0;
  float x = 0;  // of its centre
};

// Slots and their neighbours in the layers above and below.
struct LayerGraph {
  std::vector<LayoutSlot> slots;              // those of nodes first, by node
  std::vector<std::vector<uint32_t>> layers;  // slots, left to right
  std::vector<std::vector<uint32_t>> above, below;
  std::vector<std::vector<uint32_t>> far;     // for nodes' slots: the other ends of far edges
  std::vector<std::vector<uint32_t>> passes;  // per edge: the slots it passes, downward
  std::vector<bool> is_far;                   // per edge
};

LayerGraph MakeLayerGraph(const std::vector<LayoutNode>& nodes,
                          const std::vector<LayoutEdge>& edges, const std::vector<uint32_t>& layers,
                          const LayoutOptions& options);

// Orders each layer so that few edges cross.
void OrderLayers(const LayoutOptions& options, LayerGraph& graph);

// The number of pairs of edges that cross between adjacent layers.
uint64_t CountCrossings(const LayerGraph& graph);

// Moves slots, keeping their order, so that edges become short and straight.
void PlaceAcross(const LayoutOptions& options, LayerGraph& graph);

}  // namespace halo::view

#endif  // HALO_VIEW_LAYOUT_LAYOUT_LAYERS_H_
