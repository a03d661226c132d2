// `halo run` through the public interface: for a module that is already open, with arrays by
// pointer.
#include "haloscope/run.h"

#include <utility>

#include "halo/api/run/run_document.h"
#include "halo/api/run/run_request.h"
#include "halo/describe/write_json.h"
#include "halo/plugins/load_engine.h"
#include "halo/public/document_state.h"

namespace halo::v0 {
namespace {

Array PublicArray(const halo::RunOutput& output) {
  Array array;
  array.name = output.name;
  array.type = TextOf(output.array.type());
  array.dims.assign(output.array.dims().begin(), output.array.dims().end());
  array.bytes = output.array.byte_count();
  const auto owner = std::make_shared<const halo::Array>(output.array);
  array.data = std::shared_ptr<const void>(owner, owner->bytes());
  return array;
}

}  // namespace

std::string RunResult::ToJson() const {
  return inputs.empty() ? std::string() : describe::DocumentJson(*this);
}

RunResult Run(const Document& document, const RunRequest& request) {
  return RunWatched(document, request, nullptr);
}

RunResult RunWatched(const Document& document, const RunRequest& request, EvalProgress* progress) {
  Result<halo::RunRequest> internal = halo::RequestOf(request);
  if (!internal.ok()) {
    RunResult refused;
    refused.diagnostics.push_back(PublicDiagnostic(internal.error(), document.path()));
    return refused;
  }
  internal->opened = OpenedFile(document).get();
  internal->progress = progress;
  LoadedEngine loaded;
  if (request.engine == "compiled") loaded = LoadEngine();
  internal->compiled = loaded.engine.get();
  internal->compiling.cache_dir = DefaultCacheDir();
  halo::RunResult run = RunProgram(*internal);
  run.sandbox = InCallersProcess();
  if (run.report.declined.empty()) run.report.declined = std::move(loaded.problem);
  RunResult result = RunDocument(run);
  for (const halo::RunOutput& each : run.outputs) result.arrays.push_back(PublicArray(each));
  return result;
}

}  // namespace halo::v0
