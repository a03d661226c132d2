// Sweeps down and up, moving each slot to the mean position of its neighbours. Keeps the best order
// seen.
#include <algorithm>

#include "halo/view/layout/layout_layers.h"

namespace halo::view {
namespace {

// Beyond this, counting crossings costs more than it helps.
constexpr size_t kCounted = 40'000;

// Places slots side by side around 0, so that positions in layers of different sizes are
// comparable.
void SpreadOut(const LayoutOptions& options, const std::vector<uint32_t>& layer,
               LayerGraph& graph) {
  float width = 0;
  for (const uint32_t slot : layer) width += graph.slots[slot].width + options.node_gap;
  float x = -width / 2;
  for (const uint32_t slot : layer) {
    graph.slots[slot].x = x + (graph.slots[slot].width + options.node_gap) / 2;
    x += graph.slots[slot].width + options.node_gap;
  }
}

void SortLayer(const LayoutOptions& options, const std::vector<std::vector<uint32_t>>& neighbours,
               std::vector<uint32_t>& layer, LayerGraph& graph) {
  std::vector<std::pair<float, uint32_t>> keys;
  for (uint32_t i = 0; i < layer.size(); ++i) {
    const std::vector<uint32_t>& next = neighbours[layer[i]];
    float sum = 0;
    for (const uint32_t each : next) sum += graph.slots[each].x;
    const float key =
        next.empty() ? graph.slots[layer[i]].x : sum / static_cast<float>(next.size());
    keys.emplace_back(key, i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<uint32_t> sorted;
  for (const auto& [key, index] : keys) sorted.push_back(layer[index]);
  layer = std::move(sorted);
  SpreadOut(options, layer, graph);
}

uint64_t CrossingsBelow(const LayerGraph& graph, const std::vector<uint32_t>& layer,
                        const std::vector<uint32_t>& positions, size_t lower_count) {
  // The ends of the edges in the order of their starts; each inversion is a crossing.
  std::vector<uint32_t> ends;
  std::vector<uint32_t> some;
  for (const uint32_t slot : layer) {
    some.clear();
    for (const uint32_t each : graph.below[slot]) some.push_back(positions[each]);
    std::sort(some.begin(), some.end());
    ends.insert(ends.end(), some.begin(), some.end());
  }
  std::vector<uint32_t> tree(lower_count + 1, 0);
  uint64_t crossings = 0;
  uint32_t seen = 0;
  for (const uint32_t end : ends) {
    uint32_t not_greater = 0;
    for (uint32_t at = end + 1; at > 0; at -= at & (~at + 1)) not_greater += tree[at];
    crossings += seen - not_greater;
    ++seen;
    for (uint32_t at = end + 1; at <= lower_count; at += at & (~at + 1)) ++tree[at];
  }
  return crossings;
}

}  // namespace

uint64_t CountCrossings(const LayerGraph& graph) {
  std::vector<uint32_t> positions(graph.slots.size(), 0);
  uint64_t crossings = 0;
  for (size_t layer = 0; layer + 1 < graph.layers.size(); ++layer) {
    const std::vector<uint32_t>& lower = graph.layers[layer + 1];
    for (uint32_t i = 0; i < lower.size(); ++i) positions[lower[i]] = i;
    crossings += CrossingsBelow(graph, graph.layers[layer], positions, lower.size());
  }
  return crossings;
}

void OrderLayers(const LayoutOptions& options, LayerGraph& graph) {
  const size_t layers = graph.layers.size();
  for (const std::vector<uint32_t>& layer : graph.layers) SpreadOut(options, layer, graph);
  const bool counts = graph.slots.size() <= kCounted;
  std::vector<std::vector<uint32_t>> best = graph.layers;
  uint64_t least = counts ? CountCrossings(graph) : 0;
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    if (sweep % 2 == 0) {
      for (size_t i = 1; i < layers; ++i) {
        SortLayer(options, graph.above, graph.layers[i], graph);
      }
    } else {
      for (size_t i = layers; i-- > 1;) {
        SortLayer(options, graph.below, graph.layers[i - 1], graph);
      }
    }
    if (!counts) continue;
    const uint64_t crossings = CountCrossings(graph);
    if (crossings >= least) continue;
    least = crossings;
    best = graph.layers;
  }
  if (counts) graph.layers = std::move(best);
}

}  // namespace halo::view
