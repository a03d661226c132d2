// Places the nodes of a directed graph in layers, so that edges run downward, few cross, and long
// ones are straight; and routes the edges between them. Knows nothing about programs. Near-linear
// in nodes and edges; the same input gives the same picture.
#ifndef HALO_VIEW_LAYOUT_LAYERED_LAYOUT_H_
#define HALO_VIEW_LAYOUT_LAYERED_LAYOUT_H_

#include <cstdint>
#include <vector>

namespace halo::view {

struct LayoutNode {
  float width = 0, height = 0;
  bool is_source = false;  // placed right above its first reader
};

struct LayoutEdge {
  uint32_t from = 0, to = 0;
};

struct LayoutPoint {
  float x = 0, y = 0;
};

struct LayoutOptions {
  float layer_gap = 34;
  float node_gap = 18;
  float edge_gap = 10;          // between a passing edge and its neighbour
  uint32_t longest_route = 30;  // layers; longer edges are drawn straight
  float widest = 0;             // of a layer; 0: derived from the nodes
  int sweeps = 8;
};

struct GraphLayout {
  std::vector<LayoutPoint> corners;              // top left, one per node
  std::vector<std::vector<LayoutPoint>> routes;  // one per edge, starting at its source
  std::vector<bool> is_far;                      // per edge: too long to be routed around nodes
  float width = 0, height = 0;
};

// `nodes` are in topological order. An edge against that order is drawn but does not affect the
// layers.
GraphLayout LayOutLayers(const std::vector<LayoutNode>& nodes, const std::vector<LayoutEdge>& edges,
                         const LayoutOptions& options = {});

}  // namespace halo::view

#endif  // HALO_VIEW_LAYOUT_LAYERED_LAYOUT_H_
