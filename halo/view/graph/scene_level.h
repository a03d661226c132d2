// One frame's contents before they are drawn: the instructions in it in an order in which each
// comes after what it reads, cut into items that become one box each.
#ifndef HALO_VIEW_GRAPH_SCENE_LEVEL_H_
#define HALO_VIEW_GRAPH_SCENE_LEVEL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halo/view/graph/scene.h"
#include "halo/view/model/signatures.h"

namespace halo::view {

// Whom each instruction of some order reads.
struct Reads {
  std::vector<uint32_t> begins = {0};
  std::vector<InstId> insts;
  [[nodiscard]] std::span<const InstId> of(size_t place) const {
    return std::span(insts).subspan(begins[place], begins[place + 1] - begins[place]);
  }
  void End() { begins.push_back(static_cast<uint32_t>(insts.size())); }
};

struct LevelItem {
  NodeKind kind = NodeKind::kInst;
  uint32_t begin = 0, end = 0;  // in the level's order
  uint32_t period = 0;          // of a fold
  std::string name;             // of a scope
};

struct Level {
  std::vector<InstId> order;
  Reads reads;                  // of `order`, seen through what is left out
  std::vector<InstId> leaves;   // parameters, constants: what only feeds others
  std::vector<InstId> outputs;  // what the computation returns
  std::vector<LevelItem> items;
  bool is_gathered = false;
};

// True for instructions that stand beside whoever reads them and order nothing.
bool IsLeaf(const Module& module, const Inst& inst);

struct LevelOptions {
  bool fold = true;
  bool all = false;  // also what only passes values on: tuples, their elements, bitcasts
};

// All of a computation, in the order that shows most repetitions.
Level LevelOf(ModuleView& view, CompId comp, const LevelOptions& options);

// Some instructions of a level, in its order.
Level PartOf(const Level& level, uint32_t begin, uint32_t end);

// Folds what repeats, if it shall, and gathers what remains into at most `most` items.
void CutIntoItems(ModuleView& view, bool fold, uint32_t longest_period, uint32_t most,
                  Level& level);

// The user's scope that all of these have in common, in the words of the program; may be empty.
std::string CommonScope(const Module& module, std::span<const InstId> insts);

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_SCENE_LEVEL_H_
