// `counts`: what the module consists of, and how that differs from an earlier stage.
#include "halo/view/ask/pass_counts.h"
#include "halo/view/model/view_request.h"

namespace halo::view {

void AskCounts(ViewRequest& request) {
  const PassCounts counts = CountModule(*request.module);
  request.json().Key("counts").BeginObject();
  CountsJson(counts, request.json());
  request.json().EndObject();
  const JsonValue& since = request.parameters["since"];
  if (!since.is_object()) return;
  request.json().Key("change").BeginObject();
  ChangeJson(CountsFromJson(since), counts, request.json());
  request.json().EndObject();
}

}  // namespace halo::view
