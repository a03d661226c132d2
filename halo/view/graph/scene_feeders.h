// Values that enter a level from outside its boxes: parameters, constants and, in a part of a
// computation, values computed elsewhere. Decides which of them are shown, how often, and next to
// which boxes.
#ifndef HALO_VIEW_GRAPH_SCENE_FEEDERS_H_
#define HALO_VIEW_GRAPH_SCENE_FEEDERS_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "halo/view/graph/scene_level.h"

namespace halo::view {

// The item of a level that each of its instructions belongs to.
using ItemsByInst = std::unordered_map<uint32_t, uint32_t>;

struct Feeder {
  InstId inst;
  std::vector<uint32_t> readers;  // items, ascending
};

// A value with readers that are far apart appears once near each of them.
std::vector<Feeder> FeedersOf(const Module& module, const Level& level, const ItemsByInst& items);

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_SCENE_FEEDERS_H_
