// A picture of a program's graph: boxes and lines with their positions. Computations are shown
// where they are called, closed until they are opened. Repeated layers are one box, or each scope
// of the user's program is. Whatever would be too much to show is grouped by its origin.
#ifndef HALO_VIEW_GRAPH_SCENE_H_
#define HALO_VIEW_GRAPH_SCENE_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "halo/view/layout/layered_layout.h"
#include "halo/view/model/view.h"

namespace halo::view {

enum class NodeKind : uint8_t {
  kInst,    // an instruction; when open, a frame around what it calls
  kFold,    // repeated instructions; when open, the first repetition
  kScope,   // instructions of one scope, or that are grouped; when open, all of them
  kComp,    // one of several computations of an open instruction
  kPort,    // a value that enters a frame from outside
  kBundle,  // inputs with a single reader box; when open, all of them
};
inline constexpr size_t kNodeKinds = 6;
std::string_view NodeKindText(NodeKind kind);

// How instructions become boxes besides the computations they are in.
enum class Grouping : uint8_t {
  kLayers,  // equal layers that repeat are one box
  kScope,   // by the scopes of the user's program
  kNone,
};

struct SceneNode {
  std::string key;  // the name to use in `open`
  NodeKind kind = NodeKind::kInst;
  uint8_t category = 0;       // see categories.h
  uint8_t mark = 0;           // see SceneOptions::marks
  InstId inst;                // itself, or the first it represents
  CompId comp;                // its present or potential contents, if a single computation
  int32_t parent = -1;        // the enclosing frame
  uint32_t count = 1;         // repetitions of a fold, known trips of a loop
  uint32_t instructions = 1;  // that it represents, per repetition
  uint32_t unseen = 0;        // neighbours that are not shown
  bool is_output = false;     // the computation returns it
  bool can_open = false;
  bool is_open = false;
  std::string label, detail;
  double bytes = 0;  // of the result
  float x = 0, y = 0, width = 0, height = 0;
};

struct SceneEdge {
  uint32_t from = 0, to = 0;
  double bytes = 0;
  bool is_far = false;  // drawn straight across others
  int32_t parent = -1;
  std::vector<LayoutPoint> points;
};

struct SceneFold {
  std::string key;
  InstId first;
  uint32_t count = 0, period = 0;
};

struct Scene {
  std::vector<SceneNode> nodes;  // frames before their contents
  std::vector<SceneEdge> edges;
  std::vector<SceneFold> folds;
  float width = 0, height = 0;
  int32_t found = -1;        // the node that shows or contains SceneOptions::reveal
  bool has_scopes = false;   // some box is a scope of the user's program
  bool is_gathered = false;  // some instructions are grouped only because there are so many
};

struct SceneOptions {
  std::set<std::string, std::less<>> open;
  bool opens_itself = false;  // also open whatever contains nearly everything
  InstId reveal;              // open what contains it, and report its node
  Grouping group = Grouping::kLayers;
  bool all = false;       // also instructions that only pass values on
  uint32_t limit = 1500;  // approximate number of nodes
  // By instruction; 0, or an empty list: none. A box that represents several gets their mark if
  // those that have one have the same, otherwise `mixed_mark`.
  std::vector<uint8_t> marks;
  uint8_t mixed_mark = 0;
};

Scene DrawComputation(ModuleView& view, CompId comp, const SceneOptions& options);
// Draws the instructions, their operands and their users, up to `hops` steps away.
Scene DrawAround(ModuleView& view, std::span<const InstId> insts, uint32_t hops,
                 const SceneOptions& options);

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_SCENE_H_
