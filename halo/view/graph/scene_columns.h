// A scene as columns of a result, and its options from a request (viewer/protocol.md).
#ifndef HALO_VIEW_GRAPH_SCENE_COLUMNS_H_
#define HALO_VIEW_GRAPH_SCENE_COLUMNS_H_

#include <cstdint>

#include "halo/view/graph/scene.h"
#include "halo/view/model/response.h"
#include "halo/view/model/view_request.h"

namespace halo::view {

// `limit` is the number of nodes if the request names none.
SceneOptions SceneOptionsOf(const ViewRequest& request, int64_t limit);

void SceneColumns(const Scene& scene, Response& response);

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_SCENE_COLUMNS_H_
