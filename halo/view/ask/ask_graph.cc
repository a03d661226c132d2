// `graph` and `around`: a computation, or what is near an instruction.
#include <algorithm>

#include "halo/view/graph/scene.h"
#include "halo/view/graph/scene_columns.h"
#include "halo/view/model/view_request.h"

namespace halo::view {

void AskGraph(ViewRequest& request) {
  const Module& module = request.module->module();
  const int64_t entry = module.entry.valid() ? module.entry.value : -1;
  const int64_t comp = request.parameters["comp"].AsInt(entry);
  if (comp < 0 || static_cast<uint64_t>(comp) >= module.comps.size()) {
    request.response.Fail("`comp` is not a computation's number");
    return;
  }
  request.json().Field("comp", comp);
  request.json().Field("name",
                       Shortened(module.text(module.comps[static_cast<size_t>(comp)].name), 1000));
  SceneColumns(DrawComputation(*request.module, CompId(static_cast<uint32_t>(comp)),
                               SceneOptionsOf(request, 1500)),
               request.response);
}

void AskAround(ViewRequest& request) {
  const InstId inst = request.Instruction("inst");
  if (!inst.valid()) return;
  const auto hops = static_cast<uint32_t>(request.Int("hops", 2, 0, 100));
  SceneOptions options = SceneOptionsOf(request, 60);
  options.opens_itself = false;
  options.reveal = inst;
  SceneColumns(DrawAround(*request.module, {&inst, 1}, hops, options), request.response);
}

}  // namespace halo::view
