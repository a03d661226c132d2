// Tests what every picture must satisfy: nothing overlaps, edges run down and touch their nodes,
// and simple graphs look as one would draw them.
#include "halo/view/layout/layered_layout.h"

#include <cmath>

#include <gtest/gtest.h>

#include "halo/view/layout/layout_layers.h"

namespace halo::view {
namespace {

constexpr float kNear = 0.01f;

std::vector<LayoutNode> Boxes(size_t count) {
  return std::vector<LayoutNode>(count, LayoutNode{100, 30, false});
}

void ExpectNoOverlap(const std::vector<LayoutNode>& nodes, const GraphLayout& layout) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const LayoutPoint a = layout.corners[i], b = layout.corners[j];
      const bool apart =
          a.x + nodes[i].width <= b.x + kNear || b.x + nodes[j].width <= a.x + kNear ||
          a.y + nodes[i].height <= b.y + kNear || b.y + nodes[j].height <= a.y + kNear;
      EXPECT_TRUE(apart) << i << " and " << j;
    }
  }
}

void ExpectSound(const std::vector<LayoutNode>& nodes, const std::vector<LayoutEdge>& edges,
                 const GraphLayout& layout) {
  ExpectNoOverlap(nodes, layout);
  for (size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_GE(layout.corners[i].x, -kNear);
    EXPECT_LE(layout.corners[i].x + nodes[i].width, layout.width + kNear);
    EXPECT_LE(layout.corners[i].y + nodes[i].height, layout.height + kNear);
  }
  for (size_t e = 0; e < edges.size(); ++e) {
    const auto [from, to] = edges[e];
    const std::vector<LayoutPoint>& route = layout.routes[e];
    ASSERT_GE(route.size(), 2u);
    EXPECT_NEAR(route.front().y, layout.corners[from].y + nodes[from].height, kNear);
    EXPECT_NEAR(route.back().y, layout.corners[to].y, kNear);
    EXPECT_GE(route.back().x, layout.corners[to].x - kNear);
    EXPECT_LE(route.back().x, layout.corners[to].x + nodes[to].width + kNear);
    for (size_t i = 1; i < route.size(); ++i) EXPECT_GE(route[i].y, route[i - 1].y);
  }
}

TEST(LayeredLayoutTest, AChainIsStraight) {
  const auto nodes = Boxes(5);
  const std::vector<LayoutEdge> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const GraphLayout layout = LayOutLayers(nodes, edges);
  ExpectSound(nodes, edges, layout);
  for (size_t i = 1; i < nodes.size(); ++i) {
    EXPECT_NEAR(layout.corners[i].x, layout.corners[0].x, 1);
    EXPECT_GT(layout.corners[i].y, layout.corners[i - 1].y);
  }
}

TEST(LayeredLayoutTest, ADiamondIsSymmetric) {
  const auto nodes = Boxes(4);
  const std::vector<LayoutEdge> edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  const GraphLayout layout = LayOutLayers(nodes, edges);
  ExpectSound(nodes, edges, layout);
  EXPECT_NEAR(layout.corners[1].x + layout.corners[2].x, 2 * layout.corners[0].x, 1);
  EXPECT_NEAR(layout.corners[0].x, layout.corners[3].x, 1);
}

TEST(LayeredLayoutTest, ALongEdgeGoesAroundNodes) {
  const auto nodes = Boxes(6);
  const std::vector<LayoutEdge> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}};
  const GraphLayout layout = LayOutLayers(nodes, edges);
  ExpectSound(nodes, edges, layout);
  for (const LayoutPoint point : layout.routes[5]) {
    for (size_t i = 1; i < 5; ++i) {
      const LayoutPoint corner = layout.corners[i];
      const bool inside = point.x > corner.x && point.x < corner.x + nodes[i].width &&
                          point.y > corner.y && point.y < corner.y + nodes[i].height;
      EXPECT_FALSE(inside);
    }
  }
}

TEST(LayeredLayoutTest, ASourceIsAboveItsReader) {
  auto nodes = Boxes(6);
  nodes[0].is_source = true;  // read by the last only
  const std::vector<LayoutEdge> edges = {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}};
  const GraphLayout layout = LayOutLayers(nodes, edges);
  ExpectSound(nodes, edges, layout);
  EXPECT_NEAR(layout.corners[0].y, layout.corners[4].y, kNear);
}

TEST(LayeredLayoutTest, CrossingsThatCanBeAvoidedAre) {
  const auto nodes = Boxes(6);
  const std::vector<LayoutEdge> edges = {{0, 5}, {1, 4}, {2, 3}};
  LayerGraph graph = MakeLayerGraph(nodes, edges, {0, 0, 0, 1, 1, 1}, {});
  EXPECT_EQ(CountCrossings(graph), 3u);
  OrderLayers({}, graph);
  EXPECT_EQ(CountCrossings(graph), 0u);
}

TEST(LayeredLayoutTest, AnyGraphIsSound) {
  uint64_t state = 1;
  const auto random = [&state](uint64_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>((state >> 33) % below);
  };
  for (int round = 0; round < 40; ++round) {
    std::vector<LayoutNode> nodes;
    const uint32_t count = 2 + random(80);
    for (uint32_t i = 0; i < count; ++i) {
      nodes.push_back({static_cast<float>(20 + random(300)), static_cast<float>(10 + random(200)),
                       random(5) == 0});
    }
    std::vector<LayoutEdge> edges;
    for (uint32_t i = 0; i < count * 2; ++i) {
      const uint32_t to = random(count);
      if (to == 0 || nodes[to].is_source) continue;
      edges.push_back({random(to), to});
    }
    ExpectSound(nodes, edges, LayOutLayers(nodes, edges));
  }
}

TEST(LayeredLayoutTest, NothingAtAll) {
  const GraphLayout layout = LayOutLayers({}, {});
  EXPECT_EQ(layout.width, 0);
  EXPECT_EQ(layout.height, 0);
}

TEST(LayeredLayoutTest, OneAgainstTheOrderIsDrawnStraight) {
  const auto nodes = Boxes(2);
  const GraphLayout layout = LayOutLayers(nodes, {{1, 0}});
  EXPECT_TRUE(layout.is_far[0]);
  ExpectNoOverlap(nodes, layout);
}

}  // namespace
}  // namespace halo::view
