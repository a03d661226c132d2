// Opens the files to pack, and packs them.
#include "halo/api/memory/pack_request.h"

#include <chrono>
#include <optional>

#include "halo/base/io/source_buffer.h"
#include "halo/dump/file_kind.h"
#include "halo/dump/open_file.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/memory/pack/pack_csv.h"
#include "halo/memory/repack/heap_of_assignment.h"
#include "halo/memory/text/read_assignment.h"
#include "halo/memory/text/write_assignment.h"

namespace halo {
namespace {

bool IsAssignment(std::string_view bytes) {
  const FileKind kind = DetectKind(bytes);
  return kind == FileKind::kBufferAssignment || kind == FileKind::kBufferAssignmentValues ||
         kind == FileKind::kLiveRange;
}

PackOptions OptionsOf(const PackRequest& request) {
  PackOptions options;
  options.seconds = request.seconds;
  options.steps = request.steps;
  options.enough = request.capacity;
  options.progress = request.progress;
  return options;
}

void PackCsvText(std::string_view text, const PackRequest& request, PackResult& result) {
  PackCsv csv = ReadPackCsv(text);
  Diagnostics& diagnostics = result.files.front().second;
  diagnostics.Append(csv.diagnostics);
  if (!diagnostics.ok()) return;
  if (request.alignment > 0) csv.problem.alignment = request.alignment;
  const std::optional<Packing> packing = Pack(csv.problem, OptionsOf(request));
  if (!packing) {
    const std::optional<PackFault> fault = FindPackFault(csv.problem);
    diagnostics.Add(MakeDiagnostic(diag::kBadBuffer, text, 0, fault ? fault->message : ""));
    return;
  }
  PackedHeap heap;
  heap.buffers = csv.problem.items.size();
  heap.alignment = csv.problem.alignment;
  heap.height = packing->height;
  heap.lower_bound = packing->lower_bound;
  heap.xla_height = packing->xla_height;
  heap.method = packing->method;
  result.heaps.push_back(std::move(heap));
  result.output = WritePackCsv(csv, packing->offsets);
  for (size_t i = 0; i < csv.ids.size(); ++i) {
    result.offsets.emplace_back(std::move(csv.ids[i]), packing->offsets[i]);
  }
}

void PackAssignment(std::span<const std::string_view> texts, const PackRequest& request,
                    PackResult& result) {
  const AssignmentReadResult read = ReadAssignment(texts);
  for (size_t i = 0; i < texts.size(); ++i) result.files[i].second.Append(read.diagnostics[i]);
  if (!result.readable()) return;
  HeapOptions heap_options;
  heap_options.alignment = request.alignment;
  const RepackResult packed = RepackAssignment(read.assignment, OptionsOf(request), heap_options);
  for (const RepackedHeap& each : packed.heaps) {
    PackedHeap heap;
    heap.allocation = each.allocation.value;
    heap.buffers = each.items;
    heap.alignment = each.alignment;
    heap.old_height = each.old_height;
    heap.height = each.new_height;
    heap.lower_bound = each.lower_bound;
    heap.xla_height = each.xla_height;
    heap.method = each.method;
    heap.unusable = each.unusable;
    result.heaps.push_back(std::move(heap));
  }
  TextBuffer out;
  WriteAssignment(packed.assignment, packed.assignment.style, read.pieces.front(), out);
  result.output = out.view();
}

Fits FitsOf(std::span<const PackedHeap> heaps, int64_t capacity) {
  if (capacity < 0) return Fits::kNotAsked;
  Fits fits = Fits::kYes;
  for (const PackedHeap& heap : heaps) {
    if (heap.lower_bound > capacity) return Fits::kNever;
    // A heap that could not be packed fits only if it did before.
    const bool is_known = heap.unusable.empty() || heap.old_height > 0;
    const int64_t height = heap.unusable.empty() ? heap.height : heap.old_height;
    if (!is_known || height > capacity) fits = Fits::kNotFound;
  }
  return fits;
}

}  // namespace

std::string_view TextOf(Fits fits) {
  switch (fits) {
    case Fits::kNotAsked: return "not-asked";
    case Fits::kYes: return "yes";
    case Fits::kNever: return "never";
    case Fits::kNotFound: return "not-found";
  }
  return {};
}

bool PackResult::readable() const {
  for (const auto& [path, diagnostics] : files) {
    if (!diagnostics.ok()) return false;
  }
  return !files.empty();
}

PackResult PackFiles(std::span<const std::string> paths, const PackRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  PackResult result;
  result.capacity = request.capacity;
  std::vector<SourceBuffer> sources;
  std::vector<std::string_view> texts;
  bool assignment = paths.size() > 1;
  for (const std::string& path : paths) {
    result.files.emplace_back(path, Diagnostics());
    Result<SourceBuffer> source = OpenDumpFile(path);
    if (!source) {
      result.files.back().second.Add(source.error());
      continue;
    }
    sources.push_back(std::move(*source));
    texts.push_back(sources.back().bytes());
    assignment |= IsAssignment(texts.back());
  }
  if (!result.readable()) return result;
  if (assignment) {
    PackAssignment(texts, request, result);
  } else {
    PackCsvText(texts.front(), request, result);
  }
  result.fits = result.readable() ? FitsOf(result.heaps, request.capacity) : Fits::kNotAsked;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace halo
