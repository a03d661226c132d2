// Within a layer the order is given. The positions closest to what the neighbours ask of each slot
// are found exactly, by pooling adjacent slots that would overlap (isotonic regression).
#include <algorithm>

#include "halo/view/layout/layout_layers.h"

namespace halo::view {
namespace {

constexpr int kRounds = 16;
constexpr double kFarWeight = 0.1;

bool IsPass(const LayoutSlot& slot) { return slot.node == LayoutSlot::kNone; }

// A passing edge should be straight; an end at a node may yield.
float WeightOf(const LayoutSlot& a, const LayoutSlot& b) {
  if (IsPass(a) && IsPass(b)) return 8;
  return IsPass(a) || IsPass(b) ? 2 : 1;
}

float Separation(const LayoutOptions& options, const LayoutSlot& a, const LayoutSlot& b) {
  const float gap = IsPass(a) || IsPass(b) ? options.edge_gap : options.node_gap;
  return (a.width + b.width) / 2 + gap;
}

struct Wish {
  double at = 0, weight = 0;
};

Wish WishOf(const LayerGraph& graph, uint32_t slot, bool up, bool down) {
  Wish wish;
  const auto add = [&](const std::vector<uint32_t>& next) {
    for (const uint32_t each : next) {
      const double weight = WeightOf(graph.slots[slot], graph.slots[each]);
      wish.at += weight * graph.slots[each].x;
      wish.weight += weight;
    }
  };
  if (up) add(graph.above[slot]);
  if (down) add(graph.below[slot]);
  if (slot < graph.far.size()) {
    for (const uint32_t each : graph.far[slot]) {
      wish.at += kFarWeight * graph.slots[each].x;
      wish.weight += kFarWeight;
    }
  }
  // Without neighbours: pulled to the middle, and easily pushed aside.
  if (wish.weight == 0) return {0, 0.02};
  wish.at /= wish.weight;
  return wish;
}

void PlaceLayer(const LayoutOptions& options, const std::vector<uint32_t>& layer, bool up,
                bool down, LayerGraph& graph) {
  struct Pool {
    double sum = 0, weight = 0;
    uint32_t count = 0;
    [[nodiscard]] double at() const { return sum / weight; }
  };
  std::vector<Pool> pools;
  std::vector<double> shifts;
  double shift = 0;
  for (size_t i = 0; i < layer.size(); ++i) {
    if (i != 0) {
      shift += Separation(options, graph.slots[layer[i - 1]], graph.slots[layer[i]]);
    }
    shifts.push_back(shift);
    const Wish wish = WishOf(graph, layer[i], up, down);
    Pool pool{(wish.at - shift) * wish.weight, wish.weight, 1};
    while (!pools.empty() && pools.back().at() >= pool.at()) {
      pool.sum += pools.back().sum;
      pool.weight += pools.back().weight;
      pool.count += pools.back().count;
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  size_t i = 0;
  for (const Pool& pool : pools) {
    for (uint32_t k = 0; k < pool.count; ++k, ++i) {
      graph.slots[layer[i]].x = static_cast<float>(pool.at() + shifts[i]);
    }
  }
}

}  // namespace

void PlaceAcross(const LayoutOptions& options, LayerGraph& graph) {
  // Start from a packed layout around 0.
  for (const std::vector<uint32_t>& layer : graph.layers) {
    float x = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      if (i != 0) x += Separation(options, graph.slots[layer[i - 1]], graph.slots[layer[i]]);
      graph.slots[layer[i]].x = x;
    }
    for (const uint32_t slot : layer) graph.slots[slot].x -= x / 2;
  }
  const size_t layers = graph.layers.size();
  for (int round = 0; round < kRounds; ++round) {
    const bool both = round * 2 >= kRounds;
    for (size_t i = 0; i < layers; ++i) {
      PlaceLayer(options, graph.layers[i], true, both, graph);
    }
    for (size_t i = layers; i-- > 0;) PlaceLayer(options, graph.layers[i], both, true, graph);
  }
}

}  // namespace halo::view
