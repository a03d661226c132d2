// Figures that are unknown are left out, instead of being negative.
#include "halo/api/memory/pack_document.h"

#include <utility>

#include "halo/api/describe/bad_request.h"
#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"

namespace halo {
namespace {

std::optional<int64_t> Known(int64_t number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

documents::PackHeap HeapOf(const PackedHeap& from) {
  documents::PackHeap heap;
  heap.allocation = Known(from.allocation);
  heap.buffers = from.buffers;
  heap.alignment = from.alignment;
  heap.old_height = Known(from.old_height);
  heap.height = from.height;
  if (!from.unusable.empty()) {
    heap.unusable = from.unusable;
    return heap;
  }
  heap.lower_bound = from.lower_bound;
  heap.optimal = from.optimal();
  heap.xla_height = Known(from.xla_height);
  heap.method = from.method;
  return heap;
}

}  // namespace

Result<PackRequest> RequestOf(const documents::PackRequest& asked) {
  if (std::optional<Diagnostic> problem = ProblemOf(asked)) return *std::move(problem);
  PackRequest request;
  request.capacity = asked.capacity.value_or(request.capacity);
  request.alignment = asked.align.value_or(request.alignment);
  request.seconds = asked.time;
  request.steps = static_cast<uint64_t>(asked.steps.value_or(0));
  return request;
}

documents::PackResult PackDocument(const PackResult& result) {
  documents::PackResult shown;
  for (const auto& [path, diagnostics] : result.files) {
    shown.inputs.push_back(InputOf(path));
    AppendDiagnostics(diagnostics, path, shown.diagnostics);
  }
  if (result.fits != Fits::kNotAsked) {
    shown.capacity = result.capacity;
    shown.fits = TextOf(result.fits);
  }
  shown.seconds = result.seconds;
  for (const PackedHeap& each : result.heaps) shown.heaps.push_back(HeapOf(each));
  for (const auto& [id, offset] : result.offsets) shown.offsets.push_back({id, offset});
  return shown;
}

std::string PackJson(const PackResult& result) {
  return describe::DocumentJson(PackDocument(result));
}

}  // namespace halo
