// The appearance of a scene's boxes: labels, colours, and the sizes of closed ones.
#ifndef HALO_VIEW_GRAPH_SCENE_BOXES_H_
#define HALO_VIEW_GRAPH_SCENE_BOXES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "halo/view/graph/scene.h"
#include "halo/view/graph/scene_level.h"

namespace halo::view {

inline constexpr float kTitle = 24, kPadding = 14;
inline constexpr float kBoxHeight = 36, kPillHeight = 20;

// The width of a label and a line below it.
float TextWidth(std::string_view label, std::string_view detail);

SceneNode InstBox(const Module& module, InstId inst);
// A small box, for inputs.
SceneNode PillOf(const Module& module, InstId inst);
SceneNode FoldBox(const Module& module, std::span<const InstId> block, uint32_t count);
SceneNode ScopeBox(const Module& module, std::span<const InstId> insts, const LevelItem& item);
SceneNode CompBox(const Module& module, CompId comp);
SceneNode BundleBox(const Module& module, std::span<const InstId> insts);

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_SCENE_BOXES_H_
