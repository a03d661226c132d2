// Opens each stage in turn and keeps only its counts.
#include "halo/view/ask/pass_list.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "halo/api/document/document.h"
#include "halo/dump/open_file.h"
#include "halo/view/ask/pass_counts.h"
#include "halo/view/model/view.h"

namespace halo::view {
namespace {

// None, with the reason in `why`, if the file holds no module.
std::optional<PassCounts> CountFile(const Dump& dump, int32_t file, std::string& why) {
  const std::string path = dump.PathOf(file);
  Result<SourceBuffer> source = OpenDumpFile(path, dump.Fence());
  if (!source) {
    why = source.error().message;
    return std::nullopt;
  }
  const auto document = std::make_shared<const Document>(ReadDocument(std::move(source), path, {}));
  View view({document});
  ModuleView* module = view.module(-1);
  if (module == nullptr) {
    why = "the file holds no module";
    return std::nullopt;
  }
  return CountModule(*module);
}

}  // namespace

void ListPasses(const Dump& dump, const DumpModule& module, JsonWriter& json) {
  // Where a named point is among the passes, its file does not say.
  const bool has_passes =
      std::any_of(module.stages.begin(), module.stages.end(),
                  [](const DumpStage& each) { return each.name.role == StageRole::kPass; });
  json.Field("module", module.name);
  json.Key("stages").BeginArray();
  std::optional<PassCounts> last;
  for (const DumpStage& stage : module.stages) {
    const int32_t file = dump.ModuleFileOf(stage);
    if (file < 0) continue;
    json.BeginObject()
        .Field("stage", stage.label())
        .Field("role", TextOf(stage.name.role))
        .Field("pipeline", stage.name.pipeline)
        .Field("pass", stage.name.pass)
        .Field("file", dump.files[static_cast<size_t>(file)].path);
    std::string why;
    std::optional<PassCounts> counts = CountFile(dump, file, why);
    if (!counts) {
      json.Field("error", why).EndObject();
      continue;
    }
    json.Key("counts").BeginObject();
    CountsJson(*counts, json);
    json.EndObject();
    const bool is_apart = has_passes && stage.name.role == StageRole::kNamed;
    if (last && !is_apart) {
      json.Key("change").BeginObject();
      ChangeJson(*last, *counts, json);
      json.EndObject();
    }
    json.EndObject();
    if (!is_apart) last = std::move(counts);
  }
  json.EndArray();
}

}  // namespace halo::view
