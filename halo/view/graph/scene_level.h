// The contents of one frame before they are drawn: its instructions in an order in which each comes
// after its operands, split into items that become one box each.
#ifndef HALO_VIEW_GRAPH_SCENE_LEVEL_H_
#define HALO_VIEW_GRAPH_SCENE_LEVEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halo/view/graph/scene.h"
#include "halo/view/graph/scope_tree.h"
#include "halo/view/model/signatures.h"

namespace halo::view {

// The operands of each instruction of an order.
struct Reads {
  std::vector<uint32_t> begins = {0};
  std::vector<InstId> insts;
  [[nodiscard]] std::span<const InstId> of(size_t position) const {
    return std::span(insts).subspan(begins[position], begins[position + 1] - begins[position]);
  }
  void End() { begins.push_back(static_cast<uint32_t>(insts.size())); }
};

struct LevelItem {
  NodeKind kind = NodeKind::kInst;
  uint32_t begin = 0, end = 0;  // in the level's order
  uint32_t period = 0;          // of a fold
  std::string name;             // of a scope
  uint32_t scope = 0;           // of a scope: its number in the level's tree
  uint32_t part = 1;            // of a scope that is shown as several boxes
  uint32_t parts = 1;
  bool is_direct = false;  // of a scope: only what is in none of the scopes below it
};

struct Level {
  std::vector<InstId> order;
  Reads reads;                  // of `order`, looking through what is left out
  std::vector<InstId> leaves;   // parameters, constants: what only feeds others
  std::vector<InstId> outputs;  // what the computation returns
  std::vector<LevelItem> items;
  // Of `order`, if the level is grouped by scope.
  std::shared_ptr<const ScopeTree> tree;
  std::vector<uint32_t> scopes;
  bool is_gathered = false;
};

// Returns true for instructions that are placed next to their readers and do not affect the order.
bool IsLeaf(const Module& module, const Inst& inst);

struct LevelOptions {
  Grouping group = Grouping::kLayers;
  bool all = false;  // also ops that only pass values on: tuples, their elements, bitcasts
};

// All of a computation, in the order that shows the most repetitions, or keeps scopes together.
Level LevelOf(ModuleView& view, CompId comp, const LevelOptions& options);

// A range of a level's instructions, in its order.
Level PartOf(const Level& level, uint32_t begin, uint32_t end);

// Folds repetitions or groups by scope, and groups the remainder into at most `most` items.
void CutIntoItems(ModuleView& view, Grouping group, uint32_t longest_period, uint32_t most,
                  Level& level);

// The user's scope common to all of these, as the program writes it; may be empty.
std::string CommonScope(const Module& module, std::span<const InstId> insts);

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_SCENE_LEVEL_H_
