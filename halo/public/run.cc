// `halo run` through the public interface: for a module that is already open, with arrays by
// pointer.
#include "haloscope/run.h"

#include "halo/api/document/run_diagnostics.h"
#include "halo/api/run/run.h"
#include "halo/base/capped.h"
#include "halo/plugins/load_engine.h"
#include "halo/public/document_state.h"

namespace halo::v0 {
namespace {

FillElided FillOf(ElidedConstants choice) {
  switch (choice) {
    case ElidedConstants::kRefuse: return FillElided::kRefuse;
    case ElidedConstants::kZeros: return FillElided::kZeros;
    case ElidedConstants::kOnes: return FillElided::kOnes;
    case ElidedConstants::kIota: return FillElided::kIota;
  }
  return FillElided::kRefuse;
}

// Why an input is not a valid array; empty if it is.
std::string ProblemOf(const Array& array) {
  const std::optional<ElementType> type = ElementTypeFromText(array.type);
  if (!type || !IsArrayType(*type)) return "no element type is called `" + array.type + "`";
  int64_t count = 1;
  for (const int64_t dim : array.dims) {
    if (dim < 0) return "a dimension is negative";
    count = MultiplyCapped(count, dim);
  }
  const int64_t bytes = MultiplyCapped(count, static_cast<int64_t>(StoredBytes(*type)));
  if (static_cast<uint64_t>(bytes) != array.bytes) {
    return "its dimensions take " + std::to_string(bytes) + " bytes, and it holds " +
           std::to_string(array.bytes);
  }
  if (array.bytes != 0 && array.data == nullptr) return "it has no data";
  return {};
}

void TakeInputs(const RunRequest& request, std::string_view file, halo::RunRequest& to,
                std::vector<Diagnostic>& diagnostics) {
  for (const Array& each : request.inputs) {
    if (const std::string problem = ProblemOf(each); !problem.empty()) {
      diagnostics.push_back(PublicDiagnostic(
          MakeBinaryDiagnostic(diag::kInputUnsupported, 0, "input " + each.name + ": " + problem),
          file));
      continue;
    }
    to.arrays.push_back({each.name, halo::Array::Borrowed(
                                        *ElementTypeFromText(each.type), each.dims,
                                        static_cast<const uint8_t*>(each.data.get()), each.data)});
  }
}

Array PublicArray(const RunOutput& output) {
  Array array;
  array.name = output.name;
  array.type = TextOf(output.array.type());
  array.dims.assign(output.array.dims().begin(), output.array.dims().end());
  array.bytes = output.array.byte_count();
  const auto owner = std::make_shared<const halo::Array>(output.array);
  array.data = std::shared_ptr<const void>(owner, owner->bytes());
  return array;
}

void FillRunResult(const halo::RunResult& internal, RunResult& result) {
  result.has_results = internal.has_results;
  result.engine =
      internal.engine == halo::Engine::kCompiled ? Engine::kCompiled : Engine::kReference;
  result.declined = internal.report.declined;
  for (const RunOutput& each : internal.outputs) result.outputs.push_back(PublicArray(each));
  if (internal.origin) {
    result.nan =
        RunNan{internal.origin->location.name, internal.origin->device, internal.origin->is_nan};
  }
  result.steps = internal.steps;
  result.peak_bytes = internal.peak_bytes;
  result.seconds = internal.seconds;
}

}  // namespace

struct RunState {
  halo::RunResult internal;
};

std::string RunResult::ToJson() const {
  return state == nullptr ? std::string() : RunJson(state->internal);
}

RunResult Run(const Document& document, const RunRequest& request) {
  return RunWatched(document, request, nullptr);
}

halo::RunRequest InternalRunRequest(const RunRequest& request, std::string_view file,
                                    std::vector<Diagnostic>& diagnostics) {
  halo::RunRequest to;
  to.inputs = request.input_files;
  to.random = request.random;
  to.devices = request.devices;
  to.max_bytes = request.max_bytes;
  to.max_steps = request.max_steps;
  to.fill_elided = FillOf(request.elided_constants);
  TakeInputs(request, file, to, diagnostics);
  return to;
}

RunResult RunWatched(const Document& document, const RunRequest& request, EvalProgress* progress) {
  RunResult result;
  halo::RunRequest to = InternalRunRequest(request, document.path(), result.diagnostics);
  if (!result.diagnostics.empty()) return result;
  to.opened = OpenedFile(document).get();
  to.opened_module = request.module;
  to.find_nan = request.find_nan;
  to.progress = progress;
  LoadedEngine loaded;
  if (request.engine == Engine::kCompiled) loaded = LoadEngine();
  to.compiled = loaded.engine.get();
  to.compiling.cache_dir = DefaultCacheDir();
  const auto state = std::make_shared<RunState>(RunState{RunProgram(to)});
  halo::RunResult& internal = state->internal;
  internal.sandbox = InCallersProcess();
  if (internal.report.declined.empty()) internal.report.declined = loaded.problem;
  result.diagnostics = PublicDiagnostics(internal.document);
  AppendDiagnostics(internal.diagnostics, document.path(), result.diagnostics);
  FillRunResult(internal, result);
  result.state = state;
  return result;
}

}  // namespace halo::v0
