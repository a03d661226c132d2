// The steps of a layered layout: which layer each node is in, what stands in each layer in which
// order, and how far right. layered_layout.cc puts them together.
#ifndef HALO_VIEW_LAYOUT_LAYOUT_LAYERS_H_
#define HALO_VIEW_LAYOUT_LAYOUT_LAYERS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/view/layout/layered_layout.h"

namespace halo::view {

// A layer for each node, from 0 without gaps; every edge that follows the order goes down.
std::vector<uint32_t> AssignLayers(const std::vector<LayoutNode>& nodes,
                                   const std::vector<LayoutEdge>& edges,
                                   const LayoutOptions& options);

// What stands in a layer: a node, or a place where an edge passes.
struct LayoutSlot {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t node = kNone;
  uint32_t edge = kNone;
  uint32_t layer = 0;
  float width = 0;
  float x = 0;  // of its middle
};

// Slots and who is next to whom in the layers above and below.
struct LayerGraph {
  std::vector<LayoutSlot> slots;              // those of nodes first, by node
  std::vector<std::vector<uint32_t>> layers;  // slots, left to right
  std::vector<std::vector<uint32_t>> above, below;
  std::vector<std::vector<uint32_t>> far;     // of nodes' slots: the other ends of far edges
  std::vector<std::vector<uint32_t>> passes;  // of each edge: the slots it passes, downward
  std::vector<bool> is_far;                   // of each edge
};

LayerGraph MakeLayerGraph(const std::vector<LayoutNode>& nodes,
                          const std::vector<LayoutEdge>& edges, const std::vector<uint32_t>& layers,
                          const LayoutOptions& options);

// Orders each layer so that few edges cross.
void OrderLayers(const LayoutOptions& options, LayerGraph& graph);

// How many pairs of edges cross between neighbouring layers.
uint64_t CountCrossings(const LayerGraph& graph);

// Moves slots within their order so that edges become short and straight.
void PlaceAcross(const LayoutOptions& options, LayerGraph& graph);

}  // namespace halo::view

#endif  // HALO_VIEW_LAYOUT_LAYOUT_LAYERS_H_
