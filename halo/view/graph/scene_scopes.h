// Boxes for the scopes of the user's program. A scope whose instructions cannot all follow each
// other, because something outside it depends on some of them and others depend on that, becomes
// several boxes: items stay ranges of the level's order, so that no box depends on itself.
#ifndef HALO_VIEW_GRAPH_SCENE_SCOPES_H_
#define HALO_VIEW_GRAPH_SCENE_SCOPES_H_

#include "halo/view/graph/scene_level.h"

namespace halo::view {

// Finds the scope of each instruction of the level and, unless `keep_order` is set, reorders the
// level by scope. An instruction without a name belongs to the scope of its nearest user, else of
// an operand.
void ArrangeByScope(const Module& module, bool keep_order, Level& level);

// Makes an item of each range of two or more instructions in one scope below that of the level as a
// whole, and of every other instruction; many of those that follow each other are one item.
void CutByScope(const Module& module, Level& level);

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_SCENE_SCOPES_H_
