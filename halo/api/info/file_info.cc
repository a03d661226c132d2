// Collects what is known about a file's modules.
#include "halo/api/info/file_info.h"

#include <algorithm>
#include <cstdint>

#include "halo/api/document/embedded_assignment.h"
#include "halo/base/capped.h"
#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/detect_backend.h"

namespace halo {
namespace {

int64_t Count(size_t size) { return static_cast<int64_t>(size); }

v0::InfoAssignment DescribeReport(const MemoryReport& report) {
  v0::InfoAssignment info;
  if (report.form == ReportForm::kAllocations) {
    info.total_bytes = report.total_bytes;
    info.allocations = Count(report.summaries.size()) + std::max<int64_t>(report.rest.count, 0);
    return info;
  }
  int64_t total = 0;
  for (const ReportSpace& space : report.spaces) total = AddCapped(total, space.total_bytes);
  info.total_bytes = total;
  return info;
}

v0::InfoAssignment DescribeMemory(const DocumentMemory& memory) {
  if (memory.report) return DescribeReport(*memory.report);
  const Assignment& assignment = memory.assignment;
  v0::InfoAssignment info;
  if (memory.pieces.has(AssignmentPiece::kAllocations)) {
    info.allocations = Count(assignment.allocations.size());
    info.values = Count(assignment.placed.size());
    int64_t total = 0;
    for (const Allocation& each : assignment.allocations) total = AddCapped(total, each.size);
    info.total_bytes = total;
    const std::optional<Backend> backend = DetectBackend(assignment).backend;
    int64_t device = 0;
    for (const Allocation& each : assignment.allocations) {
      if (IsDeviceMemory(backend, each.color)) device = AddCapped(device, each.size);
    }
    info.device_bytes = device;
  }
  if (memory.pieces.has(AssignmentPiece::kValues)) {
    const auto has_number = [](const AssignedValue& value) { return value.id >= 0; };
    info.values = Count(static_cast<size_t>(std::ranges::count_if(assignment.values, has_number)));
    info.total_bytes = assignment.total_bytes;
  }
  if (memory.pieces.has(AssignmentPiece::kLiveRanges)) {
    info.schedule_steps = Count(assignment.sequence.size());
    info.live_ranges = Count(assignment.ranged.size());
    if (assignment.peak.time >= 0) info.peak_time = assignment.peak.time;
  }
  return info;
}

}  // namespace

FileInfo DescribeFile(const Document& document, const InfoOptions& options) {
  FileInfo info;
  info.path = document.path;
  info.kind = document.kind;
  info.compression = document.compression;
  info.stored_bytes = document.stored_bytes;
  info.bytes = document.bytes;
  info.others = document.others;
  info.errors = document.errors();
  info.warnings = document.warnings();
  if (document.memory) info.assignment = DescribeMemory(*document.memory);
  for (const DocumentModule& each : document.modules) {
    if (!each.diagnostics.ok() || !HasEmbeddedAssignment(each)) continue;
    DocumentMemory memory;
    memory.assignment = EmbeddedAssignment(each, memory.diagnostics);
    memory.pieces = kEmbeddedPieces;
    info.assignment = DescribeMemory(memory);
  }
  for (const Diagnostic* diagnostic : document.AllDiagnostics())
    info.diagnostics.push_back(*diagnostic);
  for (const DocumentModule& module : document.modules) {
    info.modules.push_back(DescribeModule(document, module, options));
  }
  if (info.assignment) info.assignment->path = document.path;
  return info;
}

}  // namespace halo
